import type { Clock } from '../clock/clock.ts';
import type { TimerOptions } from '../clock/timer-queue.ts';
import type { Counters } from '../journal/counters.ts';
import type { Feed } from '../journal/feed.ts';
import type { Journals } from '../journal/journal.ts';
import type { FixtureTree, Operation } from '../operations/operation.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { AccountState } from '../state/account-state.ts';
import type { Unused } from '../verify/verify.ts';
import type { WebhookQueue, WebhookSender } from '../webhooks/webhook-queue.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Tokens } from './tokens.ts';

/** What the accounts of a mock share. */
export interface AccountContext {
  readonly accounts: readonly {
    readonly id: string | undefined;
    readonly rateLimiter: RateLimiter;
    readonly values: AccountState;
    readonly unused: Unused;
    readonly clock: Clock;
    readonly webhookQueue: WebhookQueue;
  }[];
  /** What concerns all of them. */
  readonly all: { readonly clock: Clock; readonly webhookQueue: WebhookQueue };
  /** The tokens of all accounts, each with those of its account. */
  readonly byToken: Map<string, Tokens>;
  /** Its id is never used again, so that nobody answers another prompt. */
  newestPrompt: number;
  readonly redactor: Redactor;
  readonly journals: Journals;
  readonly feed: Feed;
  readonly counters: Counters;
  readonly sender: WebhookSender;
  readonly timerOptions: TimerOptions;
  /** The served fixture tree. A reload replaces it. */
  readonly tree: FixtureTree;
  readonly operations: readonly Operation[];
}
