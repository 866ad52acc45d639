import { Accounts, type KeyEntry } from './accounts.ts';
import { type Answer, errorAnswer } from './answer.ts';
import type { SendCallback } from './callbacks/callback-attempt.ts';
import { Callbacks } from './callbacks/callbacks.ts';
import type { TimerListeners } from './clock/timer-runner.ts';
import type { Handler } from './handler.ts';
import { Feed } from './journal/feed.ts';
import { Journal } from './journal/journal.ts';
import { Turns } from './journal/turns.ts';
import type { FixtureTree, Operation } from './operation.ts';
import { loggablePath, Redactor } from './redaction/redaction.ts';
import { Scope } from './scope.ts';
import { StartLayer } from './state/state-layer.ts';

/** The start state of a mock. */
export interface MockOptions {
  /** The configured keys. */
  readonly keys: readonly KeyEntry[];
  /** The variant of accounts without their own. */
  readonly variant?: string | undefined;
  readonly tree: FixtureTree;
  /** The maximum number of requests in the journal. */
  readonly journalSize: number;
  /**
   * The maximum size of the requests in the journal, in bytes.
   *
   * @default no limit
   */
  readonly journalBytes?: number;
  /** @default a new one */
  readonly redactor?: Redactor;
  /** Sends callbacks. @default refuses each of them */
  readonly sendCallback?: SendCallback;
  /**
   * Is called with the error of a timer that a handler set, and where. Returns the place of the error
   * in the user's fixtures, if it has one.
   *
   * @default ignores the error
   */
  readonly onTimerError?: TimerListeners['onError'];
  /** How long `advance` waits for the promise of a handler's timer, in ms. @default no limit */
  readonly longestTimer?: number;
}

/** The mock server without the network: accounts, responses and the journal. */
export class Mock {
  readonly accounts: Accounts;
  readonly journal: Journal;
  /** Calls the application under test. */
  readonly callbacks: Callbacks;
  /** Publishes what happens. */
  readonly feed = new Feed();
  /** Knows every key that was configured in this process. */
  readonly redactor: Redactor;
  /** Divides the work on the journal and on scripted responses into turns of the event loop. */
  readonly turns = new Turns();
  /** The scope of the whole service. */
  readonly service: Scope;
  /** The handlers that tests have set, by the name of their operation. */
  readonly handlers = new Map<string, Handler>();
  /** The served fixture tree. */
  tree: FixtureTree;

  constructor(options: MockOptions) {
    const { keys, variant, tree, journalSize, journalBytes, redactor = new Redactor() } = options;
    const { onTimerError: onError = () => undefined, longestTimer: longest } = options;
    this.redactor = redactor;
    this.service = new Scope({
      startState: new StartLayer(() => this.tree.state),
      onStateChange: () => this.feed.change('state'),
      timers: { onChange: () => this.feed.change('clock'), onError, longest },
    });
    this.accounts = new Accounts(keys, variant, this.service);
    for (const { key } of keys) this.redactor.remember(key);
    const { turns, feed } = this;
    const journal = { size: journalSize, bytes: journalBytes, redactor, turns, feed };
    this.journal = new Journal(journal);
    this.callbacks = new Callbacks({ ...journal, send: options.sendCallback });
    this.tree = tree;
  }

  /** The served operations. */
  get operations(): readonly Operation[] {
    return this.tree.operations;
  }

  /** An unknown path in the form for the log. */
  loggablePath(segments: readonly string[]): string {
    return loggablePath(segments, (text) => this.redactor.isSecret(text));
  }

  /** Ends all waits, timers and callbacks, and all readers of what happens. */
  close(): void {
    this.service.close();
    this.journal.close();
    this.callbacks.close();
    this.feed.close();
  }

  /** The response of `errors/<status>`. */
  error(status: number): Answer {
    return errorAnswer(this.tree.errors, status);
  }
}
