import { invalid, MomoMockError } from '../../errors.ts';
import type { ScriptedCallback } from '../callbacks/callback-script.ts';
import type { HttpResponse } from '../http-response.ts';
import type { Counter } from '../journal/counters.ts';
import type { Change } from '../journal/feed.ts';
import type { Journals } from '../journal/journal.ts';
import type { LocalRecord, RecordKind } from '../journal/record.ts';
import { MAX_RESPONSES } from '../limits.ts';
import type { Exceeded, RateLimit } from '../rate-limit.ts';
import type { Script } from '../scripted-response.ts';

/** The id of an account, such as `account-1`; `undefined` for the whole service. */
export type ScopeId = string | undefined;

/** What tests have set for an account, or for the whole service. It overrides fixtures and settings. */
export interface Overrides {
  /** The balance that overrides the fixture. */
  readonly balance: HttpResponse | undefined;
  /** The variant that a test set, which overrides that of the accounts. */
  readonly variant: string | undefined;
  /** The rate limit that a test set, which overrides that of the setting. */
  readonly rateLimit: RateLimit | undefined;
  /** The remaining scripted responses, in the order in which they are used. */
  readonly scripts: readonly Script[];
  /** What is scripted for the next callbacks, in order. */
  readonly callbacks: readonly ScriptedCallback[];
}

/** An account: what an API key opens. */
export interface Account extends Overrides {
  /** The name of the account in the logs and the journal, which never show its key. */
  readonly id: string;
  readonly key: string;
  /** The variant that it has at the start, from each operation that has it. */
  readonly initialVariant: string | undefined;
}

/** The start state of an account, which a reset restores. */
export interface NewAccount {
  readonly key: string;
  readonly variant?: string | undefined;
  readonly balance?: HttpResponse | undefined;
  readonly state?: ReadonlyMap<string, string> | undefined;
}

/** Where a clock is. */
export interface ClockTime {
  /** The time between this clock and the one that it follows, in ms. */
  readonly offset: number;
  /** The time at which the clock is frozen. */
  readonly stands?: number | undefined;
}

/** The time of a clock that nobody has moved. */
export const RUNNING: ClockTime = { offset: 0 };

/** What was found and taken for a request, which decides its response. */
export interface Taken {
  readonly service: Overrides;
  /** The account of the key; `undefined` if no account has it, or before the key check. */
  readonly account: Account | undefined;
  /** The rate limit that the request exceeds. Then nothing is taken for it. */
  readonly exceeded?: Exceeded | undefined;
  /** A scripted response, which was taken: nobody else gets it for this time. */
  readonly script: Script | undefined;
}

/** A change of what is configured. What it leaves out stays. */
export interface Edit {
  /** `null` removes it. */
  readonly balance?: HttpResponse | null;
  /** `null` removes it. */
  readonly variant?: string | null;
  /** `null` removes it. A limit counts from now on. */
  readonly rateLimit?: RateLimit | null;
  /** Replaces all scripted responses. */
  readonly scripts?: readonly Script[];
  /** Is added after the remaining scripted responses. */
  readonly more?: readonly Script[];
  /** The position of a scripted response to remove, from 0. */
  readonly without?: number;
  /** Replaces what is scripted for the next callbacks. */
  readonly callbacks?: readonly ScriptedCallback[];
}

/** Values by name, as JSON. `null` hides the value that a layer below may have. */
export type StateLayer = ReadonlyMap<string, string | null>;

/**
 * Changes of a state: JSON by name. `undefined` deletes a value, and hides that of the service; `null`
 * says that there is one in `state.json`, which the store does not know, to hide as well.
 */
export type StateChanges = ReadonlyMap<string, string | null | undefined>;

/** The state of an account, or of the whole service, as it was read. */
export interface StateRead {
  /** The layers of values: the first that has a name decides. */
  readonly layers: readonly StateLayer[];
  /** Another text after each change of a value in the layers. */
  readonly version: string;
}

/** How far a process has moved a clock, in ms, and why it stopped there. */
export interface Advanced {
  readonly ms: number;
  readonly failure?: string | undefined;
}

/** Receives events from a store, whichever process caused them. */
export interface StoreListener {
  /** The journals that the store fills. */
  readonly journals: Journals;
  /** A request or an attempt of this process has ended. */
  ended(record: LocalRecord): void;
  changed(change: Change): void;
  /** An account, or everything, is as at startup again. */
  reset(scope: ScopeId): void;
  /** An account was removed. */
  removed(id: string): void;
  /** A clock was frozen, or runs again. */
  moved(scope: ScopeId): void;
  /** Runs what comes due in this process when a clock is advanced. */
  advance(scope: ScopeId, by: number | 'idle'): Promise<Advanced>;
  /** An advance has ended in all processes, and the clock was moved. */
  advanced(scope: ScopeId): void;
  /** Sends a callback of this process again. Returns the id of the new attempt. */
  send(id: number): Promise<number | undefined>;
  /** How many timers of this process are set or running. */
  pending(): number;
  /** This process missed events, or the store lost its data: everything was read again. */
  replaced(): void;
}

/**
 * All that a mock remembers of its accounts and of the service. Each call is one step: nobody else's
 * falls in between. `take` may return a plain value, so that a request waits for nothing.
 */
export interface Store {
  /** The calls of a store outside of the process, by name; those that failed as `failed`. */
  readonly calls: ReadonlyMap<string, Counter>;
  /** Sets who receives events. Comes before {@link open}. */
  listen(listener: StoreListener): void;
  /** Connects to a store outside of the process, and reads what it remembers. */
  open(): Promise<void>;
  /**
   * Finds the account of a key, and takes the scripted response for a request. First comes one of the
   * service that is used before the key check. With a valid key, the request is counted; unless it
   * exceeds the rate limit, the first of the account follows, then of the service.
   *
   * @param key `undefined` for a request without a key that could be valid
   * @param operation the name of the operation; `undefined` if there is none
   * @param isRefused whether the request is refused anyway, after the key check
   */
  take(
    key: string | undefined,
    operation: string | undefined,
    isRefused: boolean,
  ): Taken | Promise<Taken>;
  /** All accounts, in the order in which they were made. */
  accounts(): Promise<readonly Account[]>;
  /** The account of a key. */
  find(key: string): Promise<Account | undefined>;
  /**
   * Makes an account.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_EXISTS`
   */
  add(account: NewAccount): Promise<Account>;
  /** Removes an account. Its key is invalid from now on. */
  remove(account: Pick<Account, 'id'>): Promise<void>;
  get(scope: ScopeId): Promise<Overrides>;
  /**
   * Changes what is configured.
   *
   * @returns `false` if the scripted response to remove is not there
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` for too many scripted responses
   */
  change(scope: ScopeId, edit: Edit): Promise<boolean>;
  /** Takes what is scripted for the next callback: of the account first, then of the service. */
  takeCallback(scope: ScopeId): Promise<ScriptedCallback | undefined>;
  /** The state of a scope: its own values, then for an account those of the service. */
  readState(scope: ScopeId): Promise<StateRead>;
  /**
   * Writes all changes, or none.
   *
   * @param version writes only if the state still has this version
   * @returns the version after it; `undefined` if it was not written
   * @throws MomoMockError `MOMO_MOCK_STATE_INVALID` if the state would be too large
   */
  writeState(scope: ScopeId, changes: StateChanges, version?: string): Promise<string | undefined>;
  /** The time of a clock, as far as this process knows. */
  clock(scope: ScopeId): ClockTime;
  /**
   * Freezes a clock, or lets it run again.
   *
   * @param at the time that the clock of the service follows, in ms since 1970
   */
  freeze(scope: ScopeId, isFrozen: boolean, at: number): Promise<void>;
  /**
   * Moves a clock. Resolves when what came due has run, in each process.
   *
   * @returns how many processes did not say that they have run it
   * @throws MomoMockError `MOMO_MOCK_TIMER_FAILED`
   */
  advance(scope: ScopeId, by: number | 'idle'): Promise<number>;
  /** Sends a callback again, in the process that sent it. Returns the id of the new attempt. */
  sendAgain(id: number): Promise<number | undefined>;
  /** The number of timers of processes that have ended; `undefined` if only this one is known. */
  lost(): Promise<number | undefined>;
  /** Adds a record to its journal, with the next id. */
  begin(record: LocalRecord): void;
  /** Says that more is known of a record. */
  note(record: LocalRecord): void;
  /** Ends a record, which is complete. */
  end(record: LocalRecord): void;
  /** Empties a journal: of one account, or whole. */
  empty(kind: RecordKind, scope: ScopeId): Promise<void>;
  /** Resolves when this process knows all that any process did before. In memory, it always does. */
  synced(): void | Promise<void>;
  /**
   * Ends the connection to a store outside of the process.
   *
   * @param timers how many timers of this process will not run
   */
  close(timers: number): Promise<void>;
  /**
   * Restores the start state of an account, or of everything, and empties the journals: only the
   * configured accounts are left.
   */
  reset(scope: ScopeId): Promise<void>;
}

/** What an edit changes. */
export const CHANGES = {
  balance: 'balance',
  variant: 'variant',
  rateLimit: 'rate-limit',
  scripts: 'responses',
  more: 'responses',
  without: 'responses',
  callbacks: 'callbacks',
} as const satisfies Record<keyof Edit, Change>;

/** What a reset changes. */
export const RESET = [
  'balance',
  'variant',
  'rate-limit',
  'responses',
  'accounts',
  'state',
  'clock',
  'requests',
  'callbacks',
] as const;

/** The error for a key that an account has. */
export function accountExists(): MomoMockError {
  const text =
    'Failed to create the account: an account with this key already exists. Use another key, or omit it.';
  return new MomoMockError('MOMO_MOCK_ACCOUNT_EXISTS', text);
}

/** The error for more scripted responses than a scope may have. */
export function tooManyResponses(left: number): MomoMockError {
  const problem = `must be at most ${MAX_RESPONSES} in total, and ${left} are left. Use times to repeat a response`;
  return invalid('responses', problem);
}
