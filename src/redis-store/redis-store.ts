import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { MomoMockError } from '../errors.ts';
import type { ScriptedCallback } from '../mock/callbacks/callback-script.ts';
import { RUNNING } from '../mock/clock/clock.ts';
import { recordOf } from '../mock/journal/entry.ts';
import type { Change } from '../mock/journal/feed.ts';
import type { JournalRecord, RecordKind } from '../mock/journal/record.ts';
import { checkSize } from '../mock/state/state-values.ts';
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
  type StateRead,
  type Store,
  tooManyResponses,
} from '../mock/store/store.ts';
import {
  clearInterval,
  clearTimeout,
  monotonicTime,
  setInterval,
  setTimeout,
  sleep,
} from '../timers.ts';
import { connect, isUnavailable, otherFormat, unavailable } from './connection.ts';
import { compare, EventReader, type Fields, positionOf } from './event-reader.ts';
import { FORMAT, LOST, SCRIPTS, type ScriptName, scriptOf } from './scripts.ts';
import {
  accountOf,
  jsonOfAccount,
  jsonOfAnswer,
  layerOf,
  pairsOf,
  type ShortScope,
  type StoredScope,
  StoredValues,
} from './stored-values.ts';

/** Where the store is, and how it behaves. */
export interface RedisStoreOptions {
  /** `redis://`, `rediss://` or `valkey://`, with user, password and database. */
  readonly url: string;
  /** Mocks of different names on one server do not see each other. */
  readonly name: string;
  /** How long it keeps what nobody has touched, in ms. */
  readonly ttl: number;
  /** The accounts of this process at the start, and after a reset. */
  readonly configured: readonly NewAccount[];
  /** Whether requests and attempts of callbacks are kept at all. */
  readonly hasJournal: boolean;
  /** Makes the entry of a record, without secrets, as other processes and a restart get it. */
  readonly show: (record: JournalRecord) => object;
  /** Is called with the keys of accounts that another process made. */
  readonly onKey: (key: string) => void;
}

/** How long one command may take, in ms. */
const LONGEST_COMMAND = 1500;
/** How long a start waits for the server, in ms. */
const LONGEST_START = 10_000;
/** How long the accounts of a process hold after its last sign of life, in ms. */
const LIFE = 5000;
/** The time between two signs of life, in ms. */
const BEAT = 1000;
/** How long what is written of records waits for more of it, in ms. */
const PATIENCE = 5;
const SERVICE = 'service';

/** How a process has moved a clock. */
interface Moved {
  readonly time: ClockTime;
  readonly now: number;
  readonly error?: string | undefined;
}

/** The store on Valkey or Redis. Several processes that use one are one mock. */
export class RedisStore implements Store {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #options: RedisStoreOptions;
  /** Without a dash, which parts it from positions and versions. */
  readonly #peer = randomBytes(6).toString('hex');
  readonly #reader: EventReader;
  readonly #clocks = new Map<string, ClockTime>();
  readonly #values = new StoredValues();
  /** The records that have not ended, by their names. */
  readonly #records = new Map<string, JournalRecord>();
  /** The names of the records of this process. */
  readonly #names = new WeakMap<JournalRecord, string>();
  /** What is to be written of records. One that ends soon is written once. */
  readonly #queued = new Map<JournalRecord, 'begin' | 'end' | 'whole'>();
  #flushing: NodeJS.Timeout | undefined;
  /** The events with which records began. */
  readonly #began = new WeakMap<JournalRecord, string>();
  /** What is called with the answers of processes to an `advance` of this one. */
  readonly #advances = new Map<string, (peer: string, moved: Moved) => void>();
  /** What was read before there was a follower. */
  #early: [fields: Fields, id: string, isOld: boolean][] = [];
  #follower: Follower | undefined;
  #epoch = '';
  #anew: Promise<void> | undefined;
  #made = 0;
  #beats: NodeJS.Timeout | undefined;
  #swept = -Infinity;

  private constructor(options: RedisStoreOptions) {
    this.#options = options;
    this.#prefix = `${options.name}:`;
    this.#redis = connect(options.url, { commandTimeout: LONGEST_COMMAND });
    for (const name of Object.keys(SCRIPTS) as ScriptName[]) {
      this.#redis.defineCommand(name, { lua: scriptOf(name), numberOfKeys: 0 });
    }
    const reading = connect(options.url, { blockingTimeout: 2 * LIFE });
    this.#reader = new EventReader(reading, `${this.#prefix}events`, (...event) =>
      this.#happened(...event),
    );
  }

  /**
   * Connects, adds the accounts of this process, and reads what happened before.
   *
   * @throws MomoMockError `MOMO_MOCK_STORE_UNAVAILABLE` after ten seconds, `MOMO_MOCK_STORE_FORMAT`
   */
  static async open(options: RedisStoreOptions): Promise<RedisStore> {
    const store = new RedisStore(options);
    try {
      await store.#open();
      return store;
    } catch (error) {
      await store.close(0);
      throw error;
    }
  }

  async #open(): Promise<void> {
    const until = monotonicTime() + LONGEST_START;
    for (;;) {
      try {
        if (this.#redis.status === 'wait') await this.#redis.connect();
        await this.#start();
        await this.#reader.start();
        break;
      } catch (error) {
        if (!isUnavailable(error) || monotonicTime() > until) throw error;
        await sleep(BEAT / 5);
      }
    }
    this.#beats = setInterval(() => void this.#beat().catch(() => {}), BEAT).unref();
  }

  async #start(): Promise<void> {
    const started = await this.#run('storeStart', this.#peer, this.#accounts(), LIFE, FORMAT);
    if (started === null) throw otherFormat(this.#options.name);
    const [epoch, clocks, keys] = started as [string, string[], string[]];
    this.#epoch = epoch;
    for (const key of keys) this.#options.onKey(key);
    this.#clocks.clear();
    for (const [scope, time] of pairsOf(clocks)) this.#clocks.set(scope, JSON.parse(time));
  }

  /** Adds the accounts of this process to a server that has lost its data. */
  #beginAnew(): void {
    this.#anew ??= this.#start()
      .then(() => {
        this.#follower?.emptied('requests', undefined);
        this.#follower?.emptied('callbacks', undefined);
        this.#follower?.reset(undefined);
      })
      .catch(() => {})
      .finally(() => (this.#anew = undefined));
  }

  async decide(key: string | undefined, operation = '', isRefused = false): Promise<Decided> {
    const [service, account, scope, script] = (await this.#run(
      'storeDecide',
      key ?? '',
      operation,
      Number(isRefused),
    )) as [ShortScope, readonly [string, string] | null, ShortScope | null, readonly unknown[]];
    if (key !== undefined && account !== null) this.#options.onKey(key);
    return {
      service: this.#values.configured(service),
      account:
        account === null || scope === null
          ? undefined
          : { ...accountOf(account), ...this.#values.configured(scope) },
      script: this.#values.taken(script),
    };
  }

  async accounts(): Promise<readonly Account[]> {
    const found = (await this.#run('storeAccounts')) as [string, string, StoredScope][];
    const number = ([id]: readonly string[]) => Number(id?.slice('account-'.length));
    return found
      .sort((one, two) => number([one[0]]) - number([two[0]]))
      .map(([id, json, scope]) => ({
        ...accountOf([id, json]),
        ...this.#values.configured(scope),
      }));
  }

  async find(key: string): Promise<Account | undefined> {
    const found = (await this.#run('storeFind', key)) as [string, string, StoredScope] | null;
    if (found === null) return undefined;
    const [id, json, scope] = found;
    return { ...accountOf([id, json]), ...this.#values.configured(scope) };
  }

  async add(account: NewAccount): Promise<Account> {
    const id = (await this.#run('storeAdd', jsonOfAccount(account))) as string | null;
    if (id === null) throw accountExists();
    const { key, variant, balance } = account;
    const empty = { scripts: [], callbacks: [], variant: undefined };
    return { id, key, initialVariant: variant, balance, ...empty };
  }

  async remove({ key, id }: Account): Promise<void> {
    await this.#run('storeRemove', key, id);
  }

  async get(scope: ScopeId): Promise<Configured> {
    return this.#values.configured((await this.#run('storeGet', scope ?? SERVICE)) as StoredScope);
  }

  async change(scope: ScopeId, edit: Edit): Promise<boolean> {
    const { balance, variant, scripts, more, without, callbacks } = edit;
    const changes = Object.keys(edit).map((name) => CHANGES[name as keyof Edit]);
    const args: (string | number)[] = ['tells', [...new Set(changes)].join(' ')];
    if (balance !== undefined) args.push('balance', balance === null ? '' : jsonOfAnswer(balance));
    if (variant !== undefined) args.push('variant', variant ?? '');
    if (scripts !== undefined) args.push('scripts', '1');
    for (const { given, operation, beforeKeyCheck, left } of [
      ...(scripts ?? []),
      ...(more ?? []),
    ]) {
      const times = left === Infinity ? 'always' : left;
      args.push('script', Number(beforeKeyCheck), operation, times, JSON.stringify(given));
    }
    if (without !== undefined) args.push('without', without);
    if (callbacks !== undefined) args.push('callbacks', '1');
    for (const one of callbacks ?? []) args.push('callback', JSON.stringify(one));
    const [done, left] = (await this.#run('storeChange', scope ?? SERVICE, ...args)) as number[];
    if (done === 2) throw tooManyResponses(left ?? 0);
    return done === 1;
  }

  async takeCallback(scope: ScopeId): Promise<ScriptedCallback | undefined> {
    const json = (await this.#run('storeTakeCallback', scope ?? SERVICE)) as string | null;
    return json === null ? undefined : JSON.parse(json);
  }

  async readState(scope: ScopeId): Promise<StateRead> {
    const reply = await this.#run('storeReadState', scope ?? SERVICE);
    const [version, service, own] = reply as [string, string[], string[] | null];
    const layers = own === null ? [layerOf(service)] : [layerOf(own), layerOf(service)];
    return { version, layers };
  }

  async writeState(
    scope: ScopeId,
    changes: StateChanges,
    version = '',
  ): Promise<string | undefined> {
    const args = [...changes].flatMap(([name, json]) => [
      name,
      json === null ? 'n' : json === undefined ? 'u' : `v${json}`,
    ]);
    const reply = await this.#run('storeWriteState', scope ?? SERVICE, version, ...args);
    const [done, after, bytes] = reply as [number, string | number, number];
    if (done === 2) checkSize(Number(after), bytes);
    return done === 1 ? `${after}` : undefined;
  }

  async reset(scope: ScopeId): Promise<void> {
    await this.#run('storeReset', scope ?? SERVICE, RESET.join(' '));
  }

  clock(scope: ScopeId): ClockTime {
    return this.#clocks.get(scope ?? SERVICE) ?? RUNNING;
  }

  setClock(scope: ScopeId, time: ClockTime): void {
    this.#clocks.set(scope ?? SERVICE, time);
  }

  async shareClock(scope: ScopeId): Promise<void> {
    const time = JSON.stringify(this.clock(scope));
    await this.#run('storeShareClock', scope ?? SERVICE, time, this.#peer);
  }

  async advance(scope: ScopeId, by: number | 'idle'): Promise<number> {
    const name = `${this.#peer}-${++this.#made}`;
    const answers = new Map<string, Moved>();
    let onAnswer = () => {};
    this.#advances.set(name, (peer, moved) => {
      answers.set(peer, moved);
      onAnswer();
    });
    const asked = (await this.#run('storeAdvance', scope ?? SERVICE, by, name)) as string[];
    let live = asked;
    while (live.some((peer) => !answers.has(peer))) {
      await new Promise<void>((resolve) => {
        onAnswer = resolve;
        setTimeout(resolve, BEAT).unref();
      });
      const running = (await this.#run('storePeers')) as string[];
      live = asked.filter((peer) => running.includes(peer));
    }
    this.#advances.delete(name);
    const moved = [...answers.values()];
    // With idle, each stops where nothing is pending any more: the one that went furthest counts.
    const furthest = moved.toSorted((one, two) => two.now - one.now)[0];
    if (furthest !== undefined) this.#clocks.set(scope ?? SERVICE, furthest.time);
    await this.shareClock(scope);
    this.#follower?.moved(scope);
    const error = moved.find((one) => one.error !== undefined)?.error;
    if (error !== undefined) throw new MomoMockError('MOMO_MOCK_TIMER_FAILED', error);
    return asked.length - answers.size;
  }

  async lost(): Promise<number> {
    return Number(await this.#run('storeLost'));
  }

  begin(record: JournalRecord): void {
    if (!this.#options.hasJournal) return;
    const name = `${this.#peer}-${++this.#made}`;
    this.#records.set(name, record);
    this.#names.set(record, name);
    this.#queue(record, 'begin');
  }

  end(record: JournalRecord): void {
    record.ended = true;
    // What came while the store did not answer is in the log alone.
    const isLost = record.reason === 'store-unavailable' && this.#queued.delete(record);
    if (isLost || !this.#names.has(record)) this.#follower?.ended(record);
    else this.#queue(record, this.#queued.has(record) ? 'whole' : 'end');
  }

  async empty(kind: RecordKind, scope: ScopeId): Promise<void> {
    this.#flush();
    await this.#run('storeEmpty', kind, scope ?? '');
  }

  follow(follower: Follower): void {
    this.#follower = follower;
    const early = this.#early;
    this.#early = [];
    for (const event of early) this.#happened(...event);
  }

  async synced(): Promise<void> {
    this.#flush();
    try {
      const [newest] = await this.#redis.xrevrange(`${this.#prefix}events`, '+', '-', 'COUNT', 1);
      if (newest !== undefined) await this.#reader.reached(newest[0]);
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  async close(timers: number): Promise<void> {
    clearInterval(this.#beats);
    this.#flush();
    if (this.#epoch !== '') {
      await this.#run('storeSweep', this.#options.ttl).catch(() => {});
      await this.#run('storeStop', this.#peer, timers).catch(() => {});
    }
    this.#reader.close();
    this.#redis.disconnect();
  }

  /** Notes what is to be written of a record: with others, soon, and in the order of their begin. */
  #queue(record: JournalRecord, what: 'begin' | 'end' | 'whole'): void {
    this.#queued.set(record, what);
    this.#flushing ??= setTimeout(() => this.#flush(), PATIENCE).unref();
  }

  #flush(): void {
    clearTimeout(this.#flushing);
    this.#flushing = undefined;
    const args = [...this.#queued].flatMap(([record, what]) => {
      const entry = JSON.stringify(this.#options.show(record));
      return [what, record.kind, this.#names.get(record) ?? '', entry];
    });
    this.#queued.clear();
    if (args.length > 0) this.#write('storeRecords', ...args);
  }

  /** A sign of life. It also bounds the stream to what the journals keep. */
  async #beat(): Promise<void> {
    const { ttl } = this.#options;
    const oldest = this.#follower?.oldest().map((record) => this.#began.get(record) ?? '0-0') ?? [];
    const [first = this.#reader.last] = oldest.sort(compare);
    const pending = this.#follower?.pending() ?? 0;
    await this.#run('storeBeat', this.#peer, this.#accounts(), LIFE, pending, first);
    if (monotonicTime() - this.#swept < ttl / 10) return;
    this.#swept = monotonicTime();
    await this.#run('storeSweep', ttl);
  }

  #accounts(): string {
    return JSON.stringify(this.#options.configured.map(jsonOfAccount));
  }

  /** Tells what happened. Of what happened before the start, only the journals are told. */
  #happened(fields: Fields, id: string, isOld: boolean): void {
    const follower = this.#follower;
    if (follower === undefined) {
      this.#early.push([fields, id, isOld]);
      return;
    }
    const { kind, name = '', journal, entry = '', scope } = fields;
    const of = scope === SERVICE ? undefined : scope;
    follower.at(this.#epoch, positionOf(id));
    if (kind === 'begin' || kind === 'whole') {
      this.#hasBegun(journal as RecordKind, name, entry, Number(fields.id), id);
      if (kind === 'whole') this.#hasEnded(name, entry);
    } else if (kind === 'end') this.#hasEnded(name, entry);
    else if (kind === 'empty') follower.emptied(journal as RecordKind, scope || undefined);
    else if (isOld) return;
    else if (kind === 'change') follower.changed(fields.what as Change);
    else if (kind === 'key') this.#options.onKey(fields.key ?? '');
    else if (kind === 'removed') follower.removed(scope ?? '');
    else if (kind === 'advance') void this.#move(of, fields.by ?? '', name);
    else if (kind === 'advanced') {
      const { after = '', error, peer = '' } = fields;
      const moved = { ...JSON.parse(after), error: error || undefined };
      this.#advances.get(name)?.(peer, moved);
    } else if (kind === 'reset') {
      if (of === undefined) this.#clocks.clear();
      else this.#clocks.delete(of);
      follower.reset(of);
    } else if (kind === 'clock' && fields.peer !== this.#peer) {
      this.#clocks.set(scope ?? '', JSON.parse(fields.time ?? ''));
      follower.moved(of);
    }
  }

  #hasBegun(kind: RecordKind, name: string, entry: string, id: number, event: string): void {
    const record = this.#records.get(name) ?? recordOf(kind, JSON.parse(entry));
    record.id = id;
    this.#records.set(name, record);
    this.#began.set(record, event);
    this.#follower?.began(record);
  }

  #hasEnded(name: string, entry: string): void {
    const record = this.#records.get(name);
    // Its begin may have been dropped to make room.
    if (record === undefined) return;
    this.#records.delete(name);
    if (!this.#names.has(record)) {
      const { id, position, bytes } = record;
      Object.assign(record, recordOf(record.kind, JSON.parse(entry)), { id, position, bytes });
    }
    this.#follower?.ended(record);
  }

  /** Runs what comes due in this process when a clock is moved, and says so. */
  async #move(scope: ScopeId, by: string, name: string): Promise<void> {
    let failure = '';
    await this.#follower?.advance(scope, by === 'idle' ? by : Number(by)).catch((error: Error) => {
      failure = error.message;
    });
    const after = { time: this.clock(scope), now: this.#follower?.now(scope) ?? 0 };
    this.#write('storeAdvanced', name, this.#peer, JSON.stringify(after), failure);
  }

  /** Runs a script for nobody: the next one of a request or a test says that it failed. */
  #write(name: ScriptName, ...args: (string | number)[]): void {
    this.#run(name, ...args).catch(() => {});
  }

  async #run(name: ScriptName, ...args: (string | number)[]): Promise<unknown> {
    const commands = this.#redis as unknown as Record<
      ScriptName,
      (...args: (string | number)[]) => Promise<unknown>
    >;
    try {
      const epoch = name === 'storeStart' ? '' : this.#epoch;
      return await commands[name](this.#prefix, epoch, ...args);
    } catch (cause) {
      // Nothing is answered without the data; it begins anew for the next request.
      if (`${cause}`.includes(LOST)) this.#beginAnew();
      throw unavailable(cause);
    }
  }
}
