import { Accounts, type KeyEntry } from './accounts.ts';
import { type Answer, errorAnswer } from './answer.ts';
import { Journal } from './journal.ts';
import type { FixtureTree, Operation } from './operation.ts';
import { loggablePath, Redactor } from './redaction.ts';
import { Scope } from './scope.ts';
import { Turns } from './turns.ts';

/** What a mock starts with. */
export interface MockOptions {
  /** The keys that open an account. */
  readonly keys: readonly KeyEntry[];
  /** The variant of the accounts whose key names none. */
  readonly variant?: string | undefined;
  readonly tree: FixtureTree;
  /** How many requests the journal keeps. */
  readonly journalSize: number;
  /**
   * How many bytes of requests the journal keeps.
   *
   * @default no bound
   */
  readonly journalBytes?: number;
  /** @default a new one */
  readonly redactor?: Redactor;
}

/** What the mock server is, apart from the wire: its accounts, what they answer, and the journal. */
export class Mock {
  readonly accounts: Accounts;
  readonly journal: Journal;
  /** Knows every key that was configured in this process. */
  readonly redactor: Redactor;
  /** The turns of the event loop in which what it holds is shown. */
  readonly turns = new Turns();
  /** What holds for every account. */
  readonly service = new Scope();
  /** The fixture tree that is served. */
  tree: FixtureTree;

  constructor(options: MockOptions) {
    const { keys, variant, tree, journalSize, journalBytes, redactor = new Redactor() } = options;
    this.redactor = redactor;
    this.accounts = new Accounts(keys, variant);
    for (const { key } of keys) this.redactor.remember(key);
    const { turns } = this;
    this.journal = new Journal({ size: journalSize, bytes: journalBytes, redactor, turns });
    this.tree = tree;
  }

  /** The operations that are served. */
  get operations(): readonly Operation[] {
    return this.tree.operations;
  }

  /** The path of no operation as the log may show it. */
  loggablePath(segments: readonly string[]): string {
    return loggablePath(segments, (text) => this.redactor.isSecret(text));
  }

  /** The answer of `errors/<status>`. */
  error(status: number): Answer {
    return errorAnswer(this.tree.errors, status);
  }
}
