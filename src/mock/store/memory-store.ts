import { randomBytes } from 'node:crypto';
import { timeOfDay } from '../../timers.ts';
import type { Answer } from '../answer.ts';
import type { KeyEntry } from '../api-key.ts';
import type { ScriptedCallback } from '../callbacks/callback-script.ts';
import { RUNNING } from '../clock/clock.ts';
import type { Change } from '../journal/feed.ts';
import type { JournalRecord, RecordKind } from '../journal/record.ts';
import type { Counted } from '../journal/tally.ts';
import { MOST_RESPONSES } from '../limits.ts';
import { type RateLimit, RequestCounter } from '../rate-limit.ts';
import type { Script } from '../scripted-response.ts';
import { checkSize, sizeOf } from '../state/state-values.ts';
import {
  type Account,
  accountExists,
  CHANGES,
  type ClockTime,
  type Configured,
  type Decided,
  type Edit,
  type Follower,
  type NewAccount,
  RESET,
  type ScopeId,
  type StateChanges,
  type StateLayer,
  type StateRead,
  type Store,
  tooManyResponses,
} from './store.ts';

/** What is kept of an account, or of the service. */
class Scope implements Configured {
  balance: Answer | undefined;
  variant: string | undefined;
  rateLimit: RateLimit | undefined;
  counter = new RequestCounter();
  scripts: Script[] = [];
  callbacks: ScriptedCallback[] = [];
  clock: ClockTime = RUNNING;
  /** The state: a name with `null` hides that of the layers below. */
  readonly values = new Map<string, string | null>();
  /** The size of all names and values of the state, in bytes. */
  bytes = 0;
  version = 0;
  readonly #start: Omit<NewAccount, 'key' | 'variant'>;

  constructor(start: Omit<NewAccount, 'key' | 'variant'> = {}) {
    this.#start = start;
    this.reset();
  }

  reset(): void {
    this.balance = this.#start.balance;
    this.variant = undefined;
    this.rateLimit = undefined;
    this.counter = new RequestCounter();
    this.scripts = [];
    this.callbacks = [];
    this.clock = RUNNING;
    this.values.clear();
    this.bytes = 0;
    for (const [name, json] of this.#start.state ?? []) {
      this.values.set(name, json);
      this.bytes += sizeOf(name, json);
    }
  }

  /** Takes the first scripted response for an operation. */
  take(operation: string, beforeKeyCheck: boolean): Script | undefined {
    if (this.scripts.length === 0) return undefined;
    const index = this.scripts.findIndex(
      (script) => script.operation === operation && script.beforeKeyCheck === beforeKeyCheck,
    );
    const script = this.scripts[index];
    if (script === undefined) return undefined;
    script.left--;
    if (script.left === 0) this.scripts.splice(index, 1);
    return script;
  }
}

class KeptAccount extends Scope implements Account {
  readonly id: string;
  readonly key: string;
  readonly initialVariant: string | undefined;

  constructor(id: string, { key, variant, ...start }: NewAccount) {
    super(start);
    this.id = id;
    this.key = key;
    this.initialVariant = variant;
  }
}

const NOTHING: StateLayer = new Map();

/** The store in the memory of this process. */
export class MemoryStore implements Store {
  readonly calls = new Map<string, Counted>();
  readonly #configured: readonly NewAccount[];
  readonly #rateLimit: RateLimit | undefined;
  readonly #service = new Scope();
  readonly #byKey = new Map<string, KeptAccount>();
  readonly #byId = new Map<string, KeptAccount>();
  /** Makes the versions of the state differ from those before a restart. */
  readonly #process = randomBytes(6).toString('base64url');
  readonly #followers: Follower[] = [];
  /** The ids of the newest records. */
  readonly #newest = { requests: 0, callbacks: 0 };
  #made = 0;
  #writes = 0;

  /**
   * @param configured the accounts at the start, and after a reset
   * @param rateLimit that of accounts for which none is set
   */
  constructor(configured: readonly NewAccount[], rateLimit?: RateLimit) {
    this.#configured = configured;
    this.#rateLimit = rateLimit;
    for (const account of configured) this.#add(account);
  }

  decide(key: string | undefined, operation = '', isRefused = false): Decided {
    const service = this.#service;
    const early = service.take(operation, true);
    if (early !== undefined) return { service, account: undefined, script: early };
    const account = key === undefined ? undefined : this.#byKey.get(key);
    if (account === undefined) return { service, account, script: undefined };
    const limit = account.rateLimit ?? service.rateLimit ?? this.#rateLimit;
    const exceeded = limit && account.counter.count(limit, this.#now(account));
    const script =
      exceeded !== undefined || isRefused
        ? undefined
        : (account.take(operation, false) ?? service.take(operation, false));
    return { service, account, exceeded, script };
  }

  async accounts(): Promise<readonly Account[]> {
    return [...this.#byId.values()];
  }

  async find(key: string): Promise<Account | undefined> {
    return this.#byKey.get(key);
  }

  async add(account: NewAccount): Promise<Account> {
    if (this.#byKey.has(account.key)) throw accountExists();
    const added = this.#add(account);
    this.#tell('accounts');
    return added;
  }

  async remove({ key, id }: Account): Promise<void> {
    if (this.#byId.delete(id)) this.#byKey.delete(key);
    for (const follower of this.#followers) follower.removed(id);
    this.#tell('accounts');
  }

  async get(scope: ScopeId): Promise<Configured> {
    return this.#scope(scope) ?? new Scope();
  }

  async change(scope: ScopeId, edit: Edit): Promise<boolean> {
    const kept = this.#scope(scope);
    if (kept === undefined) return true;
    const { balance, variant, rateLimit, scripts, more, without } = edit;
    const left = scripts ?? kept.scripts;
    if (left.length + (more?.length ?? 0) > MOST_RESPONSES) throw tooManyResponses(left.length);
    if (without !== undefined && left[without] === undefined) return false;
    if (balance !== undefined) kept.balance = balance ?? undefined;
    if (variant !== undefined) kept.variant = variant ?? undefined;
    // A copy, so that its counter begins anew where the same limit is set again.
    if (rateLimit !== undefined) kept.rateLimit = rateLimit ? { ...rateLimit } : undefined;
    if (scripts !== undefined || more !== undefined) kept.scripts = [...left, ...(more ?? [])];
    if (without !== undefined) kept.scripts.splice(without, 1);
    if (edit.callbacks !== undefined) kept.callbacks = [...edit.callbacks];
    for (const name of Object.keys(edit) as (keyof Edit)[]) this.#tell(CHANGES[name]);
    return true;
  }

  async takeCallback(scope: ScopeId): Promise<ScriptedCallback | undefined> {
    return this.#scope(scope)?.callbacks.shift() ?? this.#service.callbacks.shift();
  }

  async readState(scope: ScopeId): Promise<StateRead> {
    return this.#read(this.#scope(scope));
  }

  async writeState(
    scope: ScopeId,
    changes: StateChanges,
    version?: string,
  ): Promise<string | undefined> {
    const kept = this.#scope(scope);
    const now = this.#read(kept).version;
    // The account of a handler that is still running may have been removed.
    if (kept === undefined) return now;
    if (version !== undefined && version !== now) return undefined;
    const below = kept === this.#service ? NOTHING : this.#service.values;
    const after = new Map<string, string | null | undefined>();
    let { size } = kept.values;
    let { bytes } = kept;
    for (const [name, json] of changes) {
      const isBelow = below.has(name) ? below.get(name) !== null : json === null;
      const next = json ?? (isBelow ? null : undefined);
      const before = kept.values.get(name);
      if (next === before) continue;
      size += Number(next !== undefined) - Number(before !== undefined);
      bytes += sizeOf(name, next) - sizeOf(name, before);
      after.set(name, next);
    }
    checkSize(size, bytes);
    for (const [name, json] of after) {
      if (json === undefined) kept.values.delete(name);
      else kept.values.set(name, json);
    }
    kept.bytes = bytes;
    if (after.size > 0) {
      kept.version = ++this.#writes;
      this.#tell('state');
    }
    return this.#read(kept).version;
  }

  clock(scope: ScopeId): ClockTime {
    return this.#scope(scope)?.clock ?? RUNNING;
  }

  setClock(scope: ScopeId, time: ClockTime): void {
    const kept = this.#scope(scope);
    if (kept !== undefined) kept.clock = time;
  }

  async shareClock(): Promise<void> {}

  async advance(scope: ScopeId, by: number | 'idle'): Promise<number> {
    await Promise.all(this.#followers.map((follower) => follower.advance(scope, by)));
    return 0;
  }

  async lost(): Promise<undefined> {}

  begin(record: JournalRecord): void {
    record.id = ++this.#newest[record.kind];
    for (const follower of this.#followers) follower.began(record);
  }

  end(record: JournalRecord): void {
    record.ended = true;
    for (const follower of this.#followers) follower.ended(record);
  }

  async empty(kind: RecordKind, scope: ScopeId): Promise<void> {
    for (const follower of this.#followers) follower.emptied(kind, scope);
    this.#tell(kind);
  }

  follow(follower: Follower): void {
    this.#followers.push(follower);
  }

  synced(): void {}

  async close(): Promise<void> {}

  async reset(scope: ScopeId): Promise<void> {
    const kept = this.#scope(scope);
    kept?.reset();
    if (kept !== undefined) kept.version = ++this.#writes;
    if (scope === undefined) {
      this.#byKey.clear();
      this.#byId.clear();
      this.#made = 0;
      for (const account of this.#configured) this.#add(account);
    }
    for (const follower of this.#followers) follower.reset(scope);
    for (const change of RESET) this.#tell(change);
  }

  /** The time of the clock of an account, in ms since 1970. */
  #now({ clock: { stands, offset } }: Scope): number {
    if (stands !== undefined) return stands;
    const service = this.#service.clock;
    return (service.stands ?? timeOfDay() + service.offset) + offset;
  }

  #tell(change: Change): void {
    for (const follower of this.#followers) follower.changed(change);
  }

  #add(account: NewAccount): KeptAccount {
    const made = new KeptAccount(`account-${++this.#made}`, account);
    made.version = ++this.#writes;
    this.#byKey.set(made.key, made);
    this.#byId.set(made.id, made);
    return made;
  }

  #scope(id: ScopeId): Scope | undefined {
    return id === undefined ? this.#service : this.#byId.get(id);
  }

  #read(kept: Scope | undefined): StateRead {
    const { values, version } = this.#service;
    if (kept === undefined || kept === this.#service) {
      return { layers: [values], version: `${this.#process}-${version}` };
    }
    return {
      layers: [kept.values, values],
      version: `${this.#process}-${version}-${kept.version}`,
    };
  }
}

/** The accounts of the configured keys. */
export function startAccounts(
  keys: readonly KeyEntry[],
  variant: string | undefined,
): readonly NewAccount[] {
  return keys.map((one) => ({ ...one, variant: one.variant ?? variant }));
}
