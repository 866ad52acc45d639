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

/**
 * What tests have set for an account, or for the whole service. It overrides fixtures and settings.
 */
export interface Overrides {
  /** Overrides the fixture. */
  readonly balance: HttpResponse | undefined;
  /** Overrides the accounts' initial variants. */
  readonly variant: string | undefined;
  /** Overrides the setting. */
  readonly rateLimit: RateLimit | undefined;
  /** The remaining scripted responses, in order of use. */
  readonly scripts: readonly Script[];
  /** The script for the next callbacks, in order. */
  readonly callbacks: readonly ScriptedCallback[];
}

export interface Account extends Overrides {
  /** Names the account in logs and in the journal, which never show its key. */
  readonly id: string;
  readonly key: string;
  /** The variant at startup, for each operation that has it. */
  readonly initialVariant: string | undefined;
}

/** The initial state of an account. A reset restores it. */
export interface NewAccount {
  readonly key: string;
  readonly variant?: string | undefined;
  readonly balance?: HttpResponse | undefined;
  readonly state?: ReadonlyMap<string, string> | undefined;
}

export interface ClockTime {
  /** How far this clock is from the clock that it follows, in ms. */
  readonly offset: number;
  /** The time at which the clock is frozen. */
  readonly stands?: number | undefined;
}

export const RUNNING: ClockTime = { offset: 0 };

/** What decides the response to a request. */
export interface Taken {
  readonly service: Overrides;
  /** The account of the key; `undefined` if there is none, or before the key check. */
  readonly account: Account | undefined;
  /** The rate limit that the request exceeds. Then it takes nothing. */
  readonly exceeded?: Exceeded | undefined;
  /** The scripted response that this request takes. No other request gets it. */
  readonly script: Script | undefined;
}

/** A change of overrides. Missing fields stay unchanged. */
export interface Edit {
  /** `null` removes it. */
  readonly balance?: HttpResponse | null;
  /** `null` removes it. */
  readonly variant?: string | null;
  /** `null` removes it. Counting starts when it is set. */
  readonly rateLimit?: RateLimit | null;
  /** Replaces all scripted responses. */
  readonly scripts?: readonly Script[];
  /** Added after the remaining scripted responses. */
  readonly more?: readonly Script[];
  /** The position of a scripted response to remove, from 0. */
  readonly without?: number;
  /** Replaces the script for the next callbacks. */
  readonly callbacks?: readonly ScriptedCallback[];
}

/** Values by name, as JSON. `null` hides a value in the layers below. */
export type StateLayer = ReadonlyMap<string, string | null>;

/**
 * Changes of a state: JSON by name. `undefined` deletes a value, and hides the service's value.
 * `null` also hides a value in `state.json`, which the store does not know.
 */
export type StateChanges = ReadonlyMap<string, string | null | undefined>;

/** The state of an account, or of the whole service, at one version. */
export interface StateRead {
  /** The layers of values. The first layer that has a name decides. */
  readonly layers: readonly StateLayer[];
  /** Differs after each change of a value in the layers. */
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
  /** A secret that must never be shown: a key, or the signing secret of a scripted callback. */
  learned(secret: string): void;
  /** An account, or everything, is back in its initial state. */
  reset(scope: ScopeId): void;
  removed(id: string): void;
  /** A clock was frozen, or runs again. */
  moved(scope: ScopeId): void;
  /** Runs this process's due timers and callbacks when a clock is advanced. */
  advance(scope: ScopeId, by: number | 'idle'): Promise<Advanced>;
  /** An advance has ended in all processes, and the clock has moved. */
  advanced(scope: ScopeId): void;
  /** Sends a callback of this process again. Returns the id of the new attempt. */
  send(id: number): Promise<number | undefined>;
  /** How many timers of this process are set or running. */
  pending(): number;
  /** This process missed events, or the store lost its data, so everything was read again. */
  replaced(): void;
}

/**
 * Everything that a mock remembers of its accounts and of the service. Each call is atomic. `take`
 * may return a plain value, so that a request does not have to wait.
 */
export interface Store {
  /** The calls to a shared store, by name. Failed calls count as `failed`. */
  readonly calls: ReadonlyMap<string, Counter>;
  /** Must be called before {@link open}. */
  listen(listener: StoreListener): void;
  /** Connects to a shared store, and reads its data. */
  open(): Promise<void>;
  /**
   * Finds the account of a key, and takes the scripted response for a request. The service's
   * responses for before the key check come first. With a valid key, the request counts toward the
   * rate limit. Unless it exceeds the limit, the account's responses follow, then the service's. An
   * open operation needs no key for the service's.
   *
   * @param key `undefined` for a request without a key that could be valid
   * @param operation its name; `undefined` if there is none
   * @param isRefused whether the request is refused anyway, after the key check
   * @param isOpen whether the operation responds without a key
   */
  take(
    key: string | undefined,
    operation: string | undefined,
    isRefused: boolean,
    isOpen?: boolean,
  ): Taken | Promise<Taken>;
  /** All accounts, in order of creation. */
  accounts(): Promise<readonly Account[]>;
  find(key: string): Promise<Account | undefined>;
  /** @throws MomoMockError `MOMO_MOCK_ACCOUNT_EXISTS` */
  add(account: NewAccount): Promise<Account>;
  /** Removes an account. Its key becomes invalid. */
  remove(account: Pick<Account, 'id'>): Promise<void>;
  get(scope: ScopeId): Promise<Overrides>;
  /**
   * Changes overrides.
   *
   * @returns `false` if the scripted response to remove does not exist
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` for too many scripted responses
   */
  change(scope: ScopeId, edit: Edit): Promise<boolean>;
  /** Takes the script for the next callback: the account's first, then the service's. */
  takeCallback(scope: ScopeId): Promise<ScriptedCallback | undefined>;
  /** The state of a scope: its own values, then for an account the service's values. */
  readState(scope: ScopeId): Promise<StateRead>;
  /**
   * Writes all changes, or none.
   *
   * @param version writes only if the state still has this version
   * @returns the new version; `undefined` if nothing was written
   * @throws MomoMockError `MOMO_MOCK_STATE_INVALID` if the state would be too large
   */
  writeState(scope: ScopeId, changes: StateChanges, version?: string): Promise<string | undefined>;
  /** Where a clock is, as far as this process knows. */
  clock(scope: ScopeId): ClockTime;
  /**
   * Freezes a clock, or lets it run again.
   *
   * @param at the time that the service's clock follows, in ms since 1970
   */
  freeze(scope: ScopeId, isFrozen: boolean, at: number): Promise<void>;
  /**
   * Moves a clock. Resolves after all due timers and callbacks have run, in every process.
   *
   * @returns how many processes did not report that they ran theirs
   * @throws MomoMockError `MOMO_MOCK_TIMER_FAILED`
   */
  advance(scope: ScopeId, by: number | 'idle'): Promise<number>;
  /** Sends a callback again, from the process that sent it. Returns the id of the new attempt. */
  sendAgain(id: number): Promise<number | undefined>;
  /** The number of timers of exited processes; `undefined` without a shared store. */
  lost(): Promise<number | undefined>;
  /** Adds a record to its journal, and gives it the next id. */
  begin(record: LocalRecord): void;
  /** A record has changed. */
  note(record: LocalRecord): void;
  /** A record is complete. */
  end(record: LocalRecord): void;
  /** Clears an account's entries in a journal, or all entries. */
  empty(kind: RecordKind, scope: ScopeId): Promise<void>;
  /**
   * Resolves once this process knows everything that happened in any process. In memory, it always
   * does.
   */
  synced(): void | Promise<void>;
  /**
   * Disconnects from a shared store.
   *
   * @param timers how many timers of this process will not run
   */
  close(timers: number): Promise<void>;
  /**
   * Restores the initial state of an account, or of everything, and clears the journals. After a
   * reset of everything, only configured accounts are left.
   */
  reset(scope: ScopeId): Promise<void>;
}

/** What changes with each field of an edit. */
export const CHANGES = {
  balance: 'balance',
  variant: 'variant',
  rateLimit: 'rate-limit',
  scripts: 'responses',
  more: 'responses',
  without: 'responses',
  callbacks: 'callbacks',
} as const satisfies Record<keyof Edit, Change>;

/** What changes with a reset. */
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

export function accountExists(): MomoMockError {
  const text =
    'Failed to create the account: an account with this key already exists. Use another key, or omit it.';
  return new MomoMockError('MOMO_MOCK_ACCOUNT_EXISTS', text);
}

export function tooManyResponses(left: number): MomoMockError {
  const problem = `must be at most ${MAX_RESPONSES} in total, and ${left} are left. Use times to repeat a response`;
  return invalid('responses', problem);
}
