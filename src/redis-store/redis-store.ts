import type { Counter } from '../mock/journal/counters.ts';
import type { LocalRecord, RecordKind, StoredRecord } from '../mock/journal/record.ts';
import { MAX_ATTEMPT_MS } from '../mock/limits.ts';
import type { RateLimit } from '../mock/rate-limit.ts';
import type { Report, StoreEvent } from '../mock/store/event.ts';
import { MemoryStore } from '../mock/store/memory-store.ts';
import type { NewAccount, ScopeId, Taken } from '../mock/store/store.ts';
import { monotonicTime, sleep, timeOfDay } from '../timers.ts';
import { EventLog } from './event-log.ts';
import { type JournalLimits, Outbox } from './outbox.ts';
import { isUnavailable, unknownResult } from './store-connection.ts';

export interface RedisStoreOptions {
  /**
   * `redis://`, `rediss://` or `valkey://`, with user, password and database. It is already
   * validated.
   */
  readonly url: string;
  /** Mocks with different names on one server are separate. */
  readonly name: string;
  /** How long the store keeps unused data, in ms. */
  readonly ttl: number;
  /** The accounts of this process at startup, and after a reset. */
  readonly configured: readonly NewAccount[];
  /** The rate limit of accounts without their own. */
  readonly rateLimit?: RateLimit | undefined;
  /** The limits of the journals. With size 0, they keep nothing. */
  readonly journal: JournalLimits;
  /** How long other processes may take to run their part of an advance, in ms. */
  readonly patience: number;
  /** Creates the entry of a record, without secrets. */
  readonly show: (record: LocalRecord) => object;
}

/** How long startup waits for the server, in ms. */
const MAX_START = 10_000;
/** A process counts as running for this long after its last heartbeat, in ms. */
const LIFE = 5000;
/** The time between two heartbeats, in ms. */
const BEAT = 1000;
/** The pause before a retry, in ms. */
const PAUSE = 200;
/** The maximum time before the last use of accounts is written, in ms. */
const MAX_UNWRITTEN = 60_000;

/** The store on Valkey or Redis. All processes that use it act as one mock. */
export class RedisStore extends MemoryStore {
  protected override readonly countsAnew = false;
  readonly #options: RedisStoreOptions;
  readonly #log: EventLog;
  readonly #outbox: Outbox;
  #isClosed = false;
  /** The accounts that were used since the last write of their use. */
  readonly #used = new Set<string>();
  #writtenAt = monotonicTime();

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
      (records, dropped) => {
        return this.#log.append({ do: 'records', peer: this.peer, records, dropped });
      },
      () => this.#log.sync(),
    );
  }

  override get calls(): ReadonlyMap<string, Counter> {
    return this.#log.calls;
  }

  /**
   * Connects, adds the accounts of this process, and reads earlier events.
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
    void this.#log.follow();
    void this.#keepAlive();
  }

  override async take(
    key: string | undefined,
    operation = '',
    isRefused = false,
    isOpen = false,
  ): Promise<Taken> {
    // If this process knows of something to take, the event decides for all processes, without a
    // sync.
    const taking = () => this.taking(key, operation, isRefused, isOpen);
    if (!this.memory.takes(taking())) await this.#log.sync();
    const event = taking();
    if (event.account !== undefined) this.#used.add(event.account);
    if (!this.memory.takes(event)) return this.memory.find(key);
    return (await this.append(event)) as Taken;
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
    this.#outbox.begin(record);
  }

  override note(record: LocalRecord): void {
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
    this.#isClosed = true;
    this.#outbox.close();
    try {
      if (this.#log.isOpen) {
        await this.#outbox.flush();
        await Promise.all([this.#writeUse(), this.#leave(this.peer, timers)]);
        await this.#log.connection.run((redis) => redis.del(this.#alive(this.peer)));
      }
    } catch {
      // Other processes notice that this one is gone.
    }
    this.#log.close();
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

  /** Repeats the report until the store has it, because other processes wait for it. */
  protected override async report(id: string, report: Report): Promise<void> {
    while (!this.#isClosed && this.memory.processes.taskState(id)?.waiting.includes(this.peer)) {
      try {
        await super.report(id, report);
      } catch (error) {
        this.waiting.get(id)?.reject(error as Error);
        await sleep(PAUSE, undefined, { ref: false });
      }
    }
  }

  #load(lines: readonly string[], epoch: string): void {
    const { memory } = this;
    this.#fail(unknownResult());
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

  /** Rejects the calls of this process that wait for other processes. */
  #fail(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
  }

  async #keepAlive(): Promise<void> {
    for (;;) {
      await sleep(BEAT, undefined, { ref: false });
      if (this.#isClosed) return;
      // No call waits longer for other processes than for the store.
      await this.#beat().catch((error) => this.#fail(error));
    }
  }

  /** Sends a heartbeat, removes processes without one, and extends the expiry of the data. */
  async #beat(): Promise<void> {
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
  }

  async #live(): Promise<void> {
    const { ttl } = this.#options;
    const timers = this.memory.listener?.pending() ?? 0;
    await this.#log.connection.run((redis) =>
      Promise.all([
        redis.set(this.#alive(this.peer), 1, 'PX', LIFE),
        redis.hset(this.#log.key('timers'), this.peer, timers),
        ...this.#log.keys.map((key) => redis.pexpire(key, ttl)),
      ]),
    );
  }

  #alive(peer: string): string {
    return this.#log.key(`alive:${peer}`);
  }

  /** The other processes without a heartbeat. */
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

  /** Ends calls of this process that have waited too long for other processes. */
  async #giveUp(): Promise<void> {
    for (const [id, call] of this.waiting) {
      const state = this.memory.processes.taskState(id);
      if (state === undefined || state.waiting.includes(this.peer)) continue;
      call.since ??= monotonicTime();
      const patience = 'send' in state.task ? MAX_ATTEMPT_MS : this.#options.patience;
      if (monotonicTime() - call.since < patience) continue;
      for (const peer of state.waiting) await this.append({ do: 'report', id, peer });
    }
  }

  async #writeUse(): Promise<void> {
    const ids = [...this.#used];
    if (ids.length > 0) await this.append({ do: 'use', ids, at: timeOfDay() });
    for (const id of ids) this.#used.delete(id);
    this.#writtenAt = monotonicTime();
  }
}
