import { randomBytes } from 'node:crypto';
import { MomoMockError } from '../errors.ts';
import type { ScriptedCallback } from '../mock/callbacks/callback-script.ts';
import { RUNNING } from '../mock/clock/clock.ts';
import type { Change } from '../mock/journal/feed.ts';
import type { JournalRecord, RecordKind } from '../mock/journal/record.ts';
import type { Counted } from '../mock/journal/tally.ts';
import type { RateLimit } from '../mock/rate-limit.ts';
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
import { clearInterval, monotonicTime, setInterval, setTimeout, sleep } from '../timers.ts';
import { connect, isUnavailable, otherFormat, Scripts } from './connection.ts';
import { EventReader, type Fields, positionOf } from './event-reader.ts';
import { FORMAT } from './scripts.ts';
import { SharedRecords } from './shared-records.ts';
import {
  accountOf,
  jsonOfAccount,
  jsonOfAnswer,
  layerOf,
  limitOf,
  pairsOf,
  type ShortScope,
  type StoredScope,
  StoredValues,
  textOf,
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
  /** The rate limit of accounts for which none is set. */
  readonly rateLimit?: RateLimit | undefined;
  /** Whether requests and attempts of callbacks are kept at all. */
  readonly hasJournal: boolean;
  /** Makes the entry of a record, without secrets, as other processes and a restart get it. */
  readonly show: (record: JournalRecord) => object;
  /** Is called with the keys of accounts that another process made. */
  readonly onKey: (key: string) => void;
}

/** How long a start waits for the server, in ms. */
const LONGEST_START = 10_000;
/** How long the accounts of a process hold after its last sign of life, in ms. */
const LIFE = 5000;
/** The time between two signs of life, in ms. */
const BEAT = 1000;
const SERVICE = 'service';

/** What the script of `decide` replies. */
type DecideReply = readonly [
  service: ShortScope,
  account: readonly [id: string, json: string] | null,
  scope: ShortScope | null,
  script: readonly unknown[],
  last: number,
  keys: readonly string[],
  limit: string,
  reset?: number,
];

/** How a process has moved a clock. */
interface Moved {
  readonly time: ClockTime;
  readonly now: number;
  readonly error?: string | undefined;
}

/** The store on Valkey or Redis. Several processes that use one are one mock. */
export class RedisStore implements Store {
  readonly #scripts: Scripts;
  readonly #prefix: string;
  readonly #options: RedisStoreOptions;
  /** Without a dash, which parts it from positions and versions. */
  readonly #peer = randomBytes(6).toString('hex');
  readonly #reader: EventReader;
  readonly #clocks = new Map<string, ClockTime>();
  readonly #values = new StoredValues();
  /** The rate limit of the setting, as it stands in the store. */
  readonly #limit: string;
  readonly #records: SharedRecords;
  /** What is called with the answers of processes to an `advance` of this one. */
  readonly #advances = new Map<string, (peer: string, moved: Moved) => void>();
  /** What was read before there was a follower. */
  #early: [fields: Fields, id: string, isOld: boolean][] = [];
  #follower: Follower | undefined;
  #anew: Promise<void> | undefined;
  #made = 0;
  /** The number of the last account whose key is known, with all before it. */
  #known = 0;
  #beats: NodeJS.Timeout | undefined;
  #swept = -Infinity;

  private constructor(options: RedisStoreOptions) {
    this.#options = options;
    this.#prefix = `${options.name}:`;
    this.#limit = options.rateLimit === undefined ? '' : `setting ${textOf(options.rateLimit)}`;
    this.#scripts = new Scripts(options.url, this.#prefix, () => this.#beginAnew());
    const { show } = options;
    this.#records = new SharedRecords(this.#peer, options.hasJournal ? show : undefined, (args) =>
      this.#scripts.run('storeRecords', ...args),
    );
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

  get calls(): ReadonlyMap<string, Counted> {
    return this.#scripts.calls;
  }

  async #open(): Promise<void> {
    const until = monotonicTime() + LONGEST_START;
    for (;;) {
      try {
        await this.#scripts.connect();
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
    const started = await this.#scripts.run(
      'storeStart',
      this.#peer,
      this.#accounts(),
      LIFE,
      FORMAT,
    );
    if (started === null) throw otherFormat(this.#options.name);
    const [epoch, clocks, keys, last] = started as [string, string[], string[], string];
    this.#scripts.epoch = epoch;
    this.#known = Number(last);
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
    const reply = await this.#scripts.run(
      'storeDecide',
      key ?? '',
      operation,
      Number(isRefused),
      this.#known,
      this.#limit,
    );
    const [service, account, scope, script, last, keys, limit, reset] = reply as DecideReply;
    for (const one of keys) this.#options.onKey(one);
    this.#known = Math.max(this.#known, last);
    return {
      service: this.#values.configured(service),
      account:
        account === null || scope === null
          ? undefined
          : { ...accountOf(account), ...this.#values.configured(scope) },
      exceeded: reset === undefined ? undefined : { ...limitOf(limit), reset },
      script: this.#values.taken(script),
    };
  }

  async accounts(): Promise<readonly Account[]> {
    const found = (await this.#scripts.run('storeAccounts')) as [string, string, StoredScope][];
    const number = ([id]: readonly string[]) => Number(id?.slice('account-'.length));
    return found
      .sort((one, two) => number([one[0]]) - number([two[0]]))
      .map(([id, json, scope]) => ({
        ...accountOf([id, json]),
        ...this.#values.configured(scope),
      }));
  }

  async find(key: string): Promise<Account | undefined> {
    const found = (await this.#scripts.run('storeFind', key)) as
      | [string, string, StoredScope]
      | null;
    if (found === null) return undefined;
    const [id, json, scope] = found;
    return { ...accountOf([id, json]), ...this.#values.configured(scope) };
  }

  async add(account: NewAccount): Promise<Account> {
    const id = (await this.#scripts.run('storeAdd', jsonOfAccount(account))) as string | null;
    if (id === null) throw accountExists();
    const { key, variant, balance } = account;
    const empty = { scripts: [], callbacks: [], variant: undefined, rateLimit: undefined };
    return { id, key, initialVariant: variant, balance, ...empty };
  }

  async remove({ key, id }: Account): Promise<void> {
    await this.#scripts.run('storeRemove', key, id);
  }

  async get(scope: ScopeId): Promise<Configured> {
    return this.#values.configured(
      (await this.#scripts.run('storeGet', scope ?? SERVICE)) as StoredScope,
    );
  }

  async change(scope: ScopeId, edit: Edit): Promise<boolean> {
    const { balance, variant, rateLimit, scripts, more, without, callbacks } = edit;
    const changes = Object.keys(edit).map((name) => CHANGES[name as keyof Edit]);
    const args: (string | number)[] = ['tells', [...new Set(changes)].join(' ')];
    if (balance !== undefined) args.push('balance', balance === null ? '' : jsonOfAnswer(balance));
    if (variant !== undefined) args.push('variant', variant ?? '');
    if (rateLimit !== undefined) args.push('limit', rateLimit ? textOf(rateLimit) : '');
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
    const [done, left] = (await this.#scripts.run(
      'storeChange',
      scope ?? SERVICE,
      ...args,
    )) as number[];
    if (done === 2) throw tooManyResponses(left ?? 0);
    return done === 1;
  }

  async takeCallback(scope: ScopeId): Promise<ScriptedCallback | undefined> {
    const json = (await this.#scripts.run('storeTakeCallback', scope ?? SERVICE)) as string | null;
    return json === null ? undefined : JSON.parse(json);
  }

  async readState(scope: ScopeId): Promise<StateRead> {
    const reply = await this.#scripts.run('storeReadState', scope ?? SERVICE);
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
    const reply = await this.#scripts.run('storeWriteState', scope ?? SERVICE, version, ...args);
    const [done, after, bytes] = reply as [number, string | number, number];
    if (done === 2) checkSize(Number(after), bytes);
    return done === 1 ? `${after}` : undefined;
  }

  async reset(scope: ScopeId): Promise<void> {
    await this.#scripts.run('storeReset', scope ?? SERVICE, RESET.join(' '));
  }

  clock(scope: ScopeId): ClockTime {
    return this.#clocks.get(scope ?? SERVICE) ?? RUNNING;
  }

  setClock(scope: ScopeId, time: ClockTime): void {
    this.#clocks.set(scope ?? SERVICE, time);
  }

  async shareClock(scope: ScopeId): Promise<void> {
    const time = JSON.stringify(this.clock(scope));
    await this.#scripts.run('storeShareClock', scope ?? SERVICE, time, this.#peer);
  }

  async advance(scope: ScopeId, by: number | 'idle'): Promise<number> {
    const name = `${this.#peer}-${++this.#made}`;
    const answers = new Map<string, Moved>();
    let onAnswer = () => {};
    this.#advances.set(name, (peer, moved) => {
      answers.set(peer, moved);
      onAnswer();
    });
    const asked = (await this.#scripts.run('storeAdvance', scope ?? SERVICE, by, name)) as string[];
    let live = asked;
    while (live.some((peer) => !answers.has(peer))) {
      await new Promise<void>((resolve) => {
        onAnswer = resolve;
        setTimeout(resolve, BEAT).unref();
      });
      const running = (await this.#scripts.run('storePeers')) as string[];
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
    return Number(await this.#scripts.run('storeLost'));
  }

  begin(record: JournalRecord): void {
    this.#records.begin(record);
  }

  end(record: JournalRecord): void {
    this.#records.end(record);
  }

  async empty(kind: RecordKind, scope: ScopeId): Promise<void> {
    this.#records.flush();
    await this.#scripts.run('storeEmpty', kind, scope ?? '');
  }

  follow(follower: Follower): void {
    this.#follower = follower;
    this.#records.follower = follower;
    const early = this.#early;
    this.#early = [];
    for (const event of early) this.#happened(...event);
  }

  async synced(): Promise<void> {
    this.#records.flush();
    const newest = await this.#scripts.run('storeNewest');
    if (newest !== null) await this.#reader.reached(`${newest}`);
  }

  async close(timers: number): Promise<void> {
    clearInterval(this.#beats);
    this.#records.flush();
    if (this.#scripts.epoch !== '') {
      await this.#scripts.run('storeSweep', this.#options.ttl).catch(() => {});
      await this.#scripts.run('storeStop', this.#peer, timers).catch(() => {});
    }
    this.#reader.close();
    this.#scripts.close();
  }

  /** A sign of life. It also bounds the stream to what the journals keep. */
  async #beat(): Promise<void> {
    const { ttl } = this.#options;
    const first = this.#records.oldestEvent() ?? this.#reader.last;
    const pending = this.#follower?.pending() ?? 0;
    await this.#scripts.run('storeBeat', this.#peer, this.#accounts(), LIFE, pending, first);
    if (monotonicTime() - this.#swept < ttl / 10) return;
    this.#swept = monotonicTime();
    await this.#scripts.run('storeSweep', ttl);
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
    const { kind, name = '', scope } = fields;
    const of = scope === SERVICE ? undefined : scope;
    follower.at(this.#scripts.epoch, positionOf(id));
    if (fields.record !== undefined) this.#records.read(fields.record, id);
    else if (kind === 'empty') follower.emptied(fields.journal as RecordKind, scope || undefined);
    else if (isOld) return;
    else if (kind === 'change') follower.changed(fields.what as Change);
    else if (kind === 'key') this.#hasMade(Number(fields.number), fields.key ?? '');
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

  /** Another process, or this one, has made an account. */
  #hasMade(number: number, key: string): void {
    this.#options.onKey(key);
    if (number === this.#known + 1) this.#known = number;
  }

  /** Runs what comes due in this process when a clock is moved, and says so. */
  async #move(scope: ScopeId, by: string, name: string): Promise<void> {
    let failure = '';
    await this.#follower?.advance(scope, by === 'idle' ? by : Number(by)).catch((error: Error) => {
      failure = error.message;
    });
    const after = { time: this.clock(scope), now: this.#follower?.now(scope) ?? 0 };
    const args = [name, this.#peer, JSON.stringify(after), failure];
    // Without a store, the process that asked hears it from the store.
    await this.#scripts.run('storeAdvanced', ...args).catch(() => {});
  }
}
