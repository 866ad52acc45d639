import type { Callbacks } from '../callbacks/callbacks.ts';
import type { TimerOptions } from '../clock/timer-queue.ts';
import type { Feed } from '../journal/feed.ts';
import type { Journals } from '../journal/journal.ts';
import type { FixtureTree, Operation } from '../operation.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { Store } from '../store/store.ts';

/** What all scopes of a mock share. */
export interface ScopeContext {
  readonly store: Store;
  readonly redactor: Redactor;
  readonly journals: Journals;
  readonly callbacks: Callbacks;
  readonly feed: Feed;
  /** The served fixture tree. A reload replaces it. */
  readonly tree: FixtureTree;
  readonly operations: readonly Operation[];
  readonly timerOptions: TimerOptions;
}
