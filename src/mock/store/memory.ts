import { rememberSecrets } from '../callbacks/signing.ts';
import type { Change } from '../journal/feed.ts';
import { type RecordKind, StoredRecord } from '../journal/record.ts';
import { MAX_RESPONSES } from '../limits.ts';
import type { readScript, Script, ScriptedResponse } from '../scripted-response.ts';
import { checkSize, sizeOf } from '../state/state-values.ts';
import { type JsonAccount, responseOf, type StoreEvent, type Task } from './event.ts';
import { type JsonProcesses, Processes, type TaskState } from './processes.ts';
import {
  type Account,
  accountExists,
  CHANGES,
  type Edit,
  RESET,
  type ScopeId,
  type StateLayer,
  type StateRead,
  type StoreListener,
  type Taken,
  tooManyResponses,
} from './store.ts';
import { type JsonScope, StoredAccount, StoredScope } from './stored-scope.ts';

/** The process that owns a memory. It is told what happens, and given tasks. */
export interface MemoryOwner {
  readonly peer: string;
  /** Called with each record of this process that is now in its journal. */
  stored(record: StoredRecord): void;
  /** Gives the process a task. */
  assigned(id: string, scope: ScopeId, task: Task): void;
  /** All processes have done a task, or it was dropped. */
  done(id: string, state: TaskState): void;
}

/** The memory as JSON, apart from the journals. */
interface JsonMemory {
  readonly service: JsonScope;
  readonly accounts: readonly (readonly [
    id: string,
    start: JsonAccount,
    used: number,
    scope: JsonScope,
  ])[];
  readonly processes: JsonProcesses;
  readonly newest: Record<RecordKind, number>;
  readonly dropped: Record<RecordKind, number>;
  readonly made: number;
  readonly writes: number;
}

/** A journal record as JSON, without its entry. */
type JsonRecord = readonly [
  kind: RecordKind,
  peer: string,
  number: number,
  id: number,
  ended: boolean,
  size: number,
  account: string | null,
];

type Take = StoreEvent & { do: 'take' };

const KINDS = ['requests', 'callbacks'] as const;
const NOTHING: StateLayer = new Map();

/**
 * Everything that a mock remembers. Each change is an event for {@link apply}. The same events in
 * the same order lead to the same memory in every process.
 */
export class Memory {
  /** Distinguishes versions of the state from those before the data was lost. */
  epoch: string;
  listener: StoreListener | undefined;
  processes = new Processes();
  readonly #owner: MemoryOwner;
  #readScript: typeof readScript | undefined;
  #service = new StoredScope();
  readonly #byKey = new Map<string, StoredAccount>();
  readonly #byId = new Map<string, StoredAccount>();
  /** The records that have not ended, by process and number. */
  readonly #open = new Map<string, StoredRecord>();
  /** The ids of the newest records. */
  #newest = { requests: 0, callbacks: 0 };
  #accountsCreated = 0;
  #writes = 0;

  constructor(owner: MemoryOwner) {
    this.#owner = owner;
    this.epoch = owner.peer;
  }

  get accounts(): StoredAccount[] {
    return [...this.#byId.values()];
  }

  nextId(kind: RecordKind): number {
    return ++this.#newest[kind];
  }

  scope(id: ScopeId): StoredScope | undefined {
    return id === undefined ? this.#service : this.#byId.get(id);
  }

  /** What decides the response to a request that takes nothing. */
  find(key: string | undefined): Taken & { readonly account: StoredAccount | undefined } {
    const account = key === undefined ? undefined : this.#byKey.get(key);
    return { service: this.#service, account, script: undefined };
  }

  /** Whether a request takes a scripted response or counts toward a limit. */
  takes({ account: id, operation, isRefused, isOpen = false, limit }: Take): boolean {
    const service = this.#service;
    if (service.find(operation, true) >= 0) return true;
    const account = id === undefined ? undefined : this.#byId.get(id);
    if (account === undefined) return isOpen && !isRefused && service.find(operation, false) >= 0;
    if ((account.rateLimit ?? service.rateLimit ?? limit) !== undefined) return true;
    return !isRefused && [account, service].some((scope) => scope.find(operation, false) >= 0);
  }

  /** The state of a scope, which may have been removed. */
  read(stored: StoredScope | undefined): StateRead {
    const { values, version } = this.#service;
    if (stored === undefined || stored === this.#service) {
      return { layers: [values], version: `${this.epoch}-${version}` };
    }
    return {
      layers: [stored.values, values],
      version: `${this.epoch}-${version}-${stored.version}`,
    };
  }

  /**
   * Applies a change. Its result depends only on this event and the earlier ones.
   *
   * @throws MomoMockError if the change is not allowed; then nothing has changed
   */
  apply(event: StoreEvent): unknown {
    switch (event.do) {
      case 'begin':
        return undefined;
      case 'join':
        this.processes.join(event);
        return this.#configure(event.accounts, event.at);
      case 'leave':
        return this.#leave(event);
      case 'take':
        return this.#take(event);
      case 'add':
        return this.#create(event);
      case 'remove':
        return this.#remove([event.id]);
      case 'use':
        return this.#use(event.ids, event.at);
      case 'expire':
        return this.#expire(event.before);
      case 'change':
        return this.#change(event);
      case 'take-callback':
        return this.scope(event.scope)?.callbacks.shift() ?? this.#service.callbacks.shift();
      case 'write':
        return this.#write(event);
      case 'freeze':
        return this.#freeze(event);
      case 'ask':
        return this.#ask(event);
      case 'report':
        return this.#report(event);
      case 'records':
        return this.#record(event);
      case 'empty':
        this.listener?.journals[event.kind].clear(event.scope);
        return this.#tell(event.kind);
      case 'reset':
        return this.#reset(event);
    }
  }

  /** The memory as lines: one with JSON, then two for each journal record. */
  snapshot(): string[] {
    const journals = this.listener?.journals;
    const memory: JsonMemory = {
      service: this.#service.toJSON(),
      accounts: this.accounts.map((account) => {
        return [account.id, account.start, account.used, account.toJSON()];
      }),
      processes: this.processes.toJSON(),
      newest: this.#newest,
      dropped: {
        requests: journals?.requests.dropped ?? 0,
        callbacks: journals?.callbacks.dropped ?? 0,
      },
      made: this.#accountsCreated,
      writes: this.#writes,
    };
    const lines = [JSON.stringify(memory)];
    for (const kind of KINDS) {
      for (const record of journals?.[kind].all ?? []) {
        if (!(record instanceof StoredRecord)) continue;
        const { peer, number, id, ended, size, account, json } = record;
        const head: JsonRecord = [kind, peer, number, id, ended, size, account];
        lines.push(JSON.stringify(head), json);
      }
    }
    return lines;
  }

  /**
   * Loads the reader of scripted responses. It must run before an event or a snapshot contains one.
   * Loading it takes a tenth of the startup time, so only mocks that need it do so.
   */
  async loadScripts(): Promise<void> {
    ({ readScript: this.#readScript } = await import('../scripted-response.ts'));
  }

  #scriptOf(given: ScriptedResponse, used?: number): Script {
    if (this.#readScript === undefined) throw new Error('loadScripts() comes first: a bug');
    const script = this.#readScript(given, used);
    rememberSecrets(script.callbacks, { remember: (secret) => this.listener?.learned(secret) });
    return script;
  }

  /** Replaces the whole memory with a snapshot, or with nothing. */
  load([json, ...lines]: readonly string[]): void {
    const memory: JsonMemory | undefined = json === undefined ? undefined : JSON.parse(json);
    this.listener?.replaced();
    for (const map of [this.#byKey, this.#byId, this.#open]) map.clear();
    this.#service = new StoredScope();
    this.processes = new Processes();
    if (memory !== undefined) {
      this.#service.load(memory.service, (given, used) => this.#scriptOf(given, used));
      this.processes.load(memory.processes);
    }
    for (const [id, start, used, scope] of memory?.accounts ?? []) {
      const account = new StoredAccount(id, start, used);
      account.load(scope, (given, used) => this.#scriptOf(given, used));
      this.#keep(account);
    }
    this.#newest = { requests: 0, callbacks: 0, ...memory?.newest };
    this.#accountsCreated = memory?.made ?? 0;
    this.#writes = memory?.writes ?? 0;
    const journals = this.listener?.journals;
    for (const kind of KINDS) journals?.[kind].restore(memory?.dropped[kind] ?? 0);
    for (let at = 0; at < lines.length; at += 2) {
      const [kind, peer, number, id, ...fields]: JsonRecord = JSON.parse(lines[at] ?? '');
      const record = new StoredRecord(kind, peer, number);
      record.id = id;
      record.update(...fields, lines[at + 1] ?? '');
      if (!record.ended) this.#open.set(`${peer} ${number}`, record);
      journals?.[kind].add(record);
    }
    for (const change of RESET) this.#tell(change);
  }

  #leave(event: StoreEvent & { do: 'leave' }): void {
    const { peer } = event;
    const forgotten = this.processes.leave(event);
    for (const [name, record] of this.#open) {
      if (forgotten.includes(record.peer)) this.#open.delete(name);
    }
    for (const [id] of this.processes.tasksOf(peer)) this.#report({ do: 'report', id, peer });
  }

  #take(event: Take): Taken {
    const { account: id, operation, isRefused, isOpen = false, at } = event;
    const service = this.#service;
    const early = service.take(operation, true);
    if (early !== undefined) return { service, account: undefined, script: early };
    const account = id === undefined ? undefined : this.#byId.get(id);
    if (account === undefined) {
      const script = isOpen && !isRefused ? service.take(operation, false) : undefined;
      return { service, account, script };
    }
    const limit = account.rateLimit ?? service.rateLimit ?? event.limit;
    const exceeded = limit && account.counter.count(limit, this.#now(account, at));
    const script =
      exceeded !== undefined || isRefused
        ? undefined
        : (account.take(operation, false) ?? service.take(operation, false));
    return { service, account, exceeded, script };
  }

  #create({ account, at }: StoreEvent & { do: 'add' }): Account {
    if (this.#byKey.has(account.key)) throw accountExists();
    const added = this.#add(account, at);
    this.#tell('accounts');
    return added;
  }

  #configure(accounts: readonly JsonAccount[], at: number): void {
    const { size } = this.#byId;
    for (const account of accounts) if (!this.#byKey.has(account.key)) this.#add(account, at);
    if (this.#byId.size > size) this.#tell('accounts');
  }

  #add(account: JsonAccount, at: number): StoredAccount {
    const created = new StoredAccount(`account-${++this.#accountsCreated}`, account, at);
    created.version = ++this.#writes;
    this.#keep(created);
    return created;
  }

  #keep(account: StoredAccount): void {
    this.#byKey.set(account.key, account);
    this.#byId.set(account.id, account);
    this.listener?.learned(account.key);
  }

  #remove(ids: readonly string[]): void {
    for (const id of ids) {
      const account = this.#byId.get(id);
      if (account === undefined) continue;
      this.#byId.delete(id);
      this.#byKey.delete(account.key);
      this.listener?.removed(id);
    }
    this.#tell('accounts');
  }

  #use(ids: readonly string[], at: number): void {
    for (const id of ids) {
      const account = this.#byId.get(id);
      if (account !== undefined) account.used = Math.max(account.used, at);
    }
  }

  #expire(before: number): void {
    const configured = new Set(this.processes.configured.map(({ key }) => key));
    const unused = this.accounts.filter(({ used, key }) => used < before && !configured.has(key));
    if (unused.length > 0) this.#remove(unused.map(({ id }) => id));
  }

  #change({ scope, edit }: StoreEvent & { do: 'change' }): boolean {
    const stored = this.scope(scope);
    if (stored === undefined) return true;
    const { balance, variant, rateLimit, scripts, more, without, callbacks } = edit;
    const left = scripts?.length ?? stored.scripts.length;
    if (left + (more?.length ?? 0) > MAX_RESPONSES) throw tooManyResponses(left);
    if (without !== undefined && stored.scripts[without] === undefined) return false;
    if (balance !== undefined) stored.balance = balance === null ? undefined : responseOf(balance);
    if (variant !== undefined) stored.variant = variant ?? undefined;
    if (rateLimit !== undefined) {
      stored.rateLimit = rateLimit ?? undefined;
      // Counting starts now.
      const counting = stored === this.#service ? this.accounts : [stored];
      for (const { counter } of counting) counter.counted = undefined;
    }
    if (scripts !== undefined) stored.scripts = scripts.map((given) => this.#scriptOf(given));
    if (more !== undefined) stored.scripts.push(...more.map((given) => this.#scriptOf(given)));
    if (without !== undefined) stored.scripts.splice(without, 1);
    if (callbacks !== undefined) stored.callbacks = [...callbacks];
    for (const change of new Set(Object.keys(edit).map((name) => CHANGES[name as keyof Edit]))) {
      this.#tell(change);
    }
    return true;
  }

  #write({ scope, changes, version }: StoreEvent & { do: 'write' }): string | undefined {
    const stored = this.scope(scope);
    const now = this.read(stored).version;
    // A handler may still run after its account was removed.
    if (stored === undefined) return now;
    if (version !== undefined && version !== now) return undefined;
    const below = stored === this.#service ? NOTHING : this.#service.values;
    const after = new Map<string, string | null | undefined>();
    let { size } = stored.values;
    let { bytes } = stored;
    for (const [name, json] of changes) {
      const isBelow = below.has(name) ? below.get(name) !== null : json === null;
      const next = json || (isBelow ? null : undefined);
      // The last change of a name counts.
      const before = after.has(name) ? after.get(name) : stored.values.get(name);
      if (next === before) continue;
      size += Number(next !== undefined) - Number(before !== undefined);
      bytes += sizeOf(name, next) - sizeOf(name, before);
      after.set(name, next);
    }
    checkSize(size, bytes);
    for (const [name, json] of after) {
      if (json === undefined) stored.values.delete(name);
      else stored.values.set(name, json);
    }
    stored.bytes = bytes;
    if (after.size > 0) {
      stored.version = ++this.#writes;
      this.#tell('state');
    }
    return this.read(stored).version;
  }

  #freeze({ scope, isFrozen, at }: StoreEvent & { do: 'freeze' }): void {
    const stored = this.scope(scope);
    if (stored === undefined) return;
    const base = stored === this.#service ? at : this.#now(this.#service, at);
    const time = this.#now(stored, at);
    stored.clock = { offset: time - base, ...(isFrozen && { stands: time }) };
    this.listener?.moved(scope);
  }

  #ask({ id, scope, task }: StoreEvent & { do: 'ask' }): void {
    const { live } = this.processes;
    const isKnown = this.scope(scope) !== undefined;
    const sender = 'send' in task ? this.#senderOf(task.send) : undefined;
    const waiting = live.filter((peer) => ('send' in task ? peer === sender : isKnown));
    this.processes.ask(id, scope, task, waiting);
    if (waiting.includes(this.#owner.peer)) this.#owner.assigned(id, scope, task);
    this.#finish(id);
  }

  /** The process that sent a callback. */
  #senderOf(id: number): string | undefined {
    const record = this.listener?.journals.callbacks.get(id);
    if (record === undefined) return undefined;
    return record instanceof StoredRecord ? record.peer : this.#owner.peer;
  }

  #report(event: StoreEvent & { do: 'report' }): void {
    this.processes.report(event);
    this.#finish(event.id);
  }

  #finish(id: string): void {
    const state = this.processes.finish(id);
    if (state === undefined) return;
    const { scope, task, report } = state;
    if ('advance' in task && this.scope(scope) !== undefined) {
      this.#move(scope, report.ms);
      this.listener?.advanced(scope);
    }
    this.#owner.done(id, state);
  }

  /**
   * Moves a clock. The service's clock also moves frozen clocks of accounts, which do not follow
   * it.
   */
  #move(scope: ScopeId, ms: number): void {
    const moved = this.scope(scope);
    for (const stored of [moved, ...(scope === undefined ? this.accounts : [])]) {
      if (stored === undefined) continue;
      const { offset, stands } = stored.clock;
      if (stands !== undefined) stored.clock = { offset, stands: stands + ms };
      else if (stored === moved) stored.clock = { offset: offset + ms };
    }
  }

  #record({ peer, records, dropped }: StoreEvent & { do: 'records' }): void {
    for (const kind of KINDS) this.listener?.journals[kind].countDropped(dropped?.[kind] ?? 0);
    const writer = this.processes.get(peer);
    for (const [number, kind, ...fields] of records) {
      const name = `${peer} ${number}`;
      const openRecord = this.#open.get(name);
      // The record has ended, and this event repeats it.
      if (writer === undefined || (openRecord === undefined && number <= writer.written)) continue;
      const record = openRecord ?? new StoredRecord(kind, peer, number);
      record.update(...fields);
      if (record.ended) this.#open.delete(name);
      else this.#open.set(name, record);
      const journal = this.listener?.journals[kind];
      if (openRecord === undefined) {
        writer.written = number;
        record.id = this.nextId(kind);
        if (peer === this.#owner.peer) this.#owner.stored(record);
        journal?.add(record);
      } else {
        journal?.note(record);
      }
    }
  }

  #reset({ scope, at, countsAnew }: StoreEvent & { do: 'reset' }): void {
    const stored = this.scope(scope);
    stored?.reset();
    if (stored !== undefined) stored.version = ++this.#writes;
    if (scope === undefined) {
      this.#byKey.clear();
      this.#byId.clear();
      if (countsAnew) this.#accountsCreated = 0;
      for (const account of this.processes.configured) {
        if (!this.#byKey.has(account.key)) this.#add(account, at);
      }
    }
    for (const kind of KINDS) this.listener?.journals[kind].clear(scope);
    this.listener?.reset(scope);
    for (const [id, state] of this.processes.drop(scope)) this.#owner.done(id, state);
    for (const change of RESET) this.#tell(change);
  }

  /** A clock's time, in ms since 1970. @param at the system time */
  #now(stored: StoredScope, at: number): number {
    const { stands, offset } = stored.clock;
    if (stands !== undefined) return stands;
    return (stored === this.#service ? at : this.#now(this.#service, at)) + offset;
  }

  #tell(change: Change): void {
    this.listener?.changed(change);
  }
}
