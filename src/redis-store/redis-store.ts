import type { Counter } from '../mock/journal/counters.ts';
import type { LocalRecord, RecordKind, StoredRecord } from '../mock/journal/record.ts';
import { MAX_ATTEMPT_MS } from '../mock/limits.ts';
import type { RateLimit } from '../mock/rate-limit.ts';
import type { Report, StoreEvent } from '../mock/store/event.ts';
import { MemoryStore } from '../mock/store/memory-store.ts';
import type { NewAccount, ScopeId, Taken } from '../mock/store/store.ts';
import { clearInterval, monotonicTime, setInterval, sleep, timeOfDay } from '../timers.ts';
import { EventLog } from './event-log.ts';
import { type JournalLimits, Outbox } from './outbox.ts';
import { isUnavailable, unknownResult } from './store-connection.ts';

/** Where the store is, and how it behaves. */
export interface RedisStoreOptions {
  /** `redis://`, `rediss://` or `valkey://`, with user, password and database. It was checked. */
  readonly url: string;
  /** Mocks of different names on one server do not see each other. */
  readonly name: string;
  /** How long it keeps what nobody uses, in ms. */
  readonly ttl: number;
  /** The accounts of this process at startup, and after a reset. */
  readonly configured: readonly NewAccount[];
  /** The rate limit of accounts for which none is set. */
  readonly rateLimit?: RateLimit | undefined;
  /** The limits of the journals. Without a size, they keep nothing. */
  readonly journal: JournalLimits;
  /** How long other processes may take to run what comes due in an advance, in ms. */
  readonly patience: number;
  /** Makes the entry of a record, without secrets. */
  readonly show: (record: LocalRecord) => object;
  /** Is told each secret that nothing may show. */
  readonly onSecret: (secret: string) => void;
}

/** How long a startup waits for the server, in ms. */
const MAX_START = 10_000;
/** How long a process counts as running after its last heartbeat, in ms. */
const LIFE = 5000;
/** The time between two heartbeats, in ms. */
const BEAT = 1000;
/** The pause before something is tried again, in ms. */
const PAUSE = 200;
/** The longest time until the use of accounts is written, in ms. */
const MAX_UNWRITTEN = 60_000;

/** The store on Valkey or Redis. The processes that use one are one mock. */
export class RedisStore extends MemoryStore {
  protected override readonly countsAnew = false;
  readonly #options: RedisStoreOptions;
  readonly #log: EventLog;
  readonly #outbox: Outbox;
  #beats: NodeJS.Timeout | undefined;
  #isBeating = false;
  #isClosed = false;
  /** The accounts that requests and calls have used since that was written. */
  readonly #used = new Set<string>();
  #writtenAt = monotonicTime();
  /** When this process noticed that it waits for others only, by task. */
  readonly #noticed = new Map<string, number>();

  constructor(options: RedisStoreOptions) {
    super([], options.rateLimit);
    this.#options = options;
    const { memory } = this;
    this.#log = new EventLog(options.url, {
      name: options.name,
      ttl: options.ttl,
      apply: (event) => memory.apply(event),
      snapshot: () => memory.snapshot(),
      load: (lines, epoch) => this.#load(lines, epoch),
      join: async () => {
        await this.#live();
        return this.joined(options.configured);
      },
    });
    this.#outbox = new Outbox(
      options.journal,
      options.show,
      (what) => this.#log.append({ do: 'records', peer: this.peer, ...what }),
      () => this.#log.sync(),
    );
  }

  override get calls(): ReadonlyMap<string, Counter> {
    return this.#log.calls;
  }

  /**
   * Connects, adds the accounts of this process, and reads what happened before.
   *
   * @throws MomoMockError `MOMO_MOCK_STORE_UNAVAILABLE` after ten seconds, `MOMO_MOCK_STORE_FORMAT`
   */
  override async open(): Promise<void> {
    // Another process may have scripted a response.
    await this.memory.loadScripts();
    const until = monotonicTime() + MAX_START;
    for (;;) {
      try {
        await this.#log.open();
        break;
      } catch (error) {
        if (isUnavailable(error) && monotonicTime() < until) {
          await sleep(PAUSE);
          continue;
        }
        await this.close(0);
        throw error;
      }
    }
    this.#log.follow();
    this.#beats = setInterval(() => void this.#beat(), BEAT).unref();
  }

  override async take(
    key: string | undefined,
    operation = '',
    isRefused = false,
    isOpen = false,
  ): Promise<Taken> {
    // What this process knows is enough to take something, which the event does for all.
    if (!this.takes(key, operation, isRefused, isOpen)) await this.#log.sync();
    const id = this.memory.find(key).account?.id;
    if (id !== undefined) this.#used.add(id);
    if (!this.takes(key, operation, isRefused, isOpen)) return this.memory.find(key);
    return (await this.append(this.taking(key, operation, isRefused, isOpen))) as Taken;
  }

  override async find(key: string) {
    const account = await super.find(key);
    if (account !== undefined) this.#used.add(account.id);
    return account;
  }

  override async lost(): Promise<number> {
    await this.sync();
    return this.memory.processes.lost;
  }

  override begin(record: LocalRecord): void {
    if (this.#options.journal.size > 0) this.#outbox.begin(record);
  }

  override note(record: LocalRecord): void {
    this.#outbox.note(record);
  }

  override end(record: LocalRecord): void {
    record.ended = true;
    this.memory.listener?.ended(record);
    this.#outbox.note(record);
  }

  override async empty(kind: RecordKind, scope: ScopeId): Promise<void> {
    await this.#outbox.flush();
    await super.empty(kind, scope);
  }

  override async reset(scope: ScopeId): Promise<void> {
    await this.#outbox.flush();
    await super.reset(scope);
  }

  override async synced(): Promise<void> {
    await Promise.all([this.#outbox.flush(), this.#log.sync()]);
  }

  override async close(timers: number): Promise<void> {
    clearInterval(this.#beats);
    this.#isClosed = true;
    this.#outbox.close();
    try {
      if (this.#log.isOpen) {
        await this.#outbox.flush();
        await Promise.all([this.#writeUse(), this.#leave(this.peer, timers)]);
        await this.#log.connection.run((redis) => redis.del(this.#alive(this.peer)));
      }
    } catch {
      // Others notice that it is gone.
    }
    this.#log.close();
  }

  override learned(secret: string): void {
    this.#options.onSecret(secret);
  }

  override stored(record: StoredRecord): void {
    this.#outbox.stored(record);
  }

  protected override sync(): Promise<void> {
    return this.#log.sync();
  }

  protected override append(event: StoreEvent): Promise<unknown> {
    return this.#log.append(event);
  }

  /** Says it until the store knows it, since others wait for it. */
  protected override async report(id: string, report: Report): Promise<void> {
    while (!this.#isClosed && this.memory.processes.asked(id)?.waiting.includes(this.peer)) {
      try {
        await super.report(id, report);
      } catch (error) {
        this.fail(error as Error, id);
        await sleep(PAUSE, undefined, { ref: false });
      }
    }
  }

  #load(lines: readonly string[], epoch: string): void {
    const { memory } = this;
    this.fail(unknownResult());
    if (memory.epoch !== epoch) {
      this.#outbox.restart();
      memory.epoch = epoch;
    }
    memory.load(lines);
    // The timers of this process are gone.
    for (const [id, { task }] of memory.processes.tasksOf(this.peer)) {
      const ms = 'advance' in task && task.advance !== 'idle' ? task.advance : 0;
      void this.report(id, { ms });
    }
  }

  /** Shows the others that this process runs, notices which do not, and lets data expire later. */
  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      await this.#log.sync();
      await this.#live();
      const { live } = this.memory.processes;
      if (!live.includes(this.peer)) await this.append(this.joined(this.#options.configured));
      for (const peer of await this.#dead(live)) await this.#leave(peer);
      await this.#giveUp();
      const { ttl } = this.#options;
      if (monotonicTime() - this.#writtenAt > Math.min(ttl / 10, MAX_UNWRITTEN)) {
        await this.#writeUse();
        const before = timeOfDay() - ttl;
        const isAny = this.memory.accounts.some(({ used }) => used < before);
        if (isAny) await this.append({ do: 'expire', before });
      }
    } catch (error) {
      // No call waits longer for others than for the store.
      this.fail(error as Error);
    } finally {
      this.#isBeating = false;
    }
  }

  async #live(): Promise<void> {
    const { ttl } = this.#options;
    const timers = this.memory.listener?.pending() ?? 0;
    const keys = ['format', 'head', 'events', 'snapshot', 'timers'];
    await this.#log.connection.run((redis) =>
      Promise.all([
        redis.set(this.#alive(this.peer), 1, 'PX', LIFE),
        redis.hset(this.#log.key('timers'), this.peer, timers),
        ...keys.map((key) => redis.pexpire(this.#log.key(key), ttl)),
      ]),
    );
  }

  #alive(peer: string): string {
    return this.#log.key(`alive:${peer}`);
  }

  /** The others that had no heartbeat. */
  async #dead(live: readonly string[]): Promise<string[]> {
    const others = live.filter((peer) => peer !== this.peer);
    if (others.length === 0) return [];
    const alive = await this.#log.connection.run((redis) =>
      redis.mget(others.map((peer) => this.#alive(peer))),
    );
    return others.filter((_, at) => alive[at] === null);
  }

  async #leave(peer: string, timers?: number): Promise<void> {
    const key = this.#log.key('timers');
    const known =
      timers ?? Number(await this.#log.connection.run((redis) => redis.hget(key, peer)));
    await this.append({ do: 'leave', peer, timers: known });
    await this.#log.connection.run((redis) => redis.hdel(key, peer));
  }

  /** Ends calls of this process that wait too long for others. */
  async #giveUp(): Promise<void> {
    const own = this.waitingTasks.filter(([, { waiting }]) => !waiting.includes(this.peer));
    for (const [id] of this.#noticed) if (!this.isWaiting(id)) this.#noticed.delete(id);
    for (const [id, { task, waiting }] of own) {
      const since = this.#noticed.get(id) ?? monotonicTime();
      this.#noticed.set(id, since);
      const patience = 'send' in task ? MAX_ATTEMPT_MS : this.#options.patience;
      if (monotonicTime() - since < patience) continue;
      for (const peer of waiting) await this.append({ do: 'report', id, peer });
    }
  }

  async #writeUse(): Promise<void> {
    const ids = [...this.#used];
    if (ids.length > 0) await this.append({ do: 'use', ids, at: timeOfDay() });
    for (const id of ids) this.#used.delete(id);
    this.#writtenAt = monotonicTime();
  }
}
