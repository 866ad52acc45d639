import { randomBytes } from 'node:crypto';
import { type Counter, counterIn } from '../mock/journal/counters.ts';
import type { StoreEvent } from '../mock/store/event.ts';
import { monotonicTime, nextTurn, setImmediate, sleep } from '../timers.ts';
import { fieldsOf, isBefore, readEvent } from './event-text.ts';
import { BEGIN, FORMAT, TRIM } from './scripts.ts';
import { otherFormat, StoreConnection, unavailable, unknownResult } from './store-connection.ts';

/** What a log needs from its store. */
export interface LogUser {
  readonly name: string;
  /** How long the store keeps unused data, in ms. */
  readonly ttl: number;
  apply(event: StoreEvent): unknown;
  /** The result of all events, as lines. */
  snapshot(): string[];
  /** Replaces everything with a snapshot; without lines, with nothing. */
  load(lines: readonly string[], epoch: string): void;
  /** The event that adds this process. */
  join(): Promise<StoreEvent>;
}

interface Head {
  readonly text: string;
  /** Changes when the data is lost. */
  readonly epoch: string;
  /** The first event that is kept. */
  readonly first: string;
  /** The last event in the snapshot. */
  readonly snapshot: string;
  /** The size of the snapshot. */
  readonly bytes: number;
}

/** A call that waits for the next round trip. */
interface Call {
  /** The event to append; `undefined` for a call that waits until all events are applied. */
  readonly event: StoreEvent | undefined;
  readonly resolve: (result?: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Append = Call & { readonly event: StoreEvent };

/** The maximum number of events per read. */
const MAX_READ = 1000;
/** How long the waking reader waits for an event, in ms. */
const BLOCK = 2000;
/** The pause between two reads of the waking reader, in ms. */
const PAUSE = 5;
/** The pause of the waking reader if it has no connection, in ms. */
const LONG_PAUSE = 200;
/** The size of events after which a snapshot is written, unless the last snapshot is larger. */
const MIN_BYTES = 262_144;
/** The number of events after which a snapshot is written. */
const MAX_EVENTS = 10_000;
/** The size of a piece of a snapshot, in characters. */
const PIECE = 1_048_576;
/** The maximum number of pieces per read. */
const MAX_PIECES = 8;
/** How long the store keeps an unfinished snapshot, in ms. */
const UNFINISHED = 60_000;
const NO_EVENT = '0-0';

/**
 * The events of all processes, in one order. All calls in a turn of the event loop share one round
 * trip: it appends their events, and reads and applies all new events. A call that comes during a
 * round trip waits for the next one, because the replies may be older than the call.
 */
export class EventLog {
  readonly calls = new Map<string, Counter>();
  readonly connection: StoreConnection;
  readonly #waker: StoreConnection;
  readonly #user: LogUser;
  #calls: Call[] = [];
  /** Shared by all callers until the next round trip begins. */
  #sync: Promise<unknown> | undefined;
  #isRunning = false;
  #isClosed = false;
  /** `undefined` before there is data, and after it was lost. */
  #head: Head | undefined;
  #lostEpoch = '';
  /** The id of the last applied event. */
  #last = NO_EVENT;
  /** The number and the size of the events since the last snapshot. */
  #sinceSnapshot = { count: 0, bytes: 0 };
  /** The number of events per read. A read that took too long lowers it. */
  #maxRead = MAX_READ;
  #isWritingSnapshot = false;

  constructor(url: string, user: LogUser) {
    this.connection = new StoreConnection(url);
    this.#waker = new StoreConnection(url, 2 * BLOCK + 1000);
    this.#user = user;
  }

  get isOpen(): boolean {
    return this.#head !== undefined;
  }

  key(name: string): string {
    return `${this.#user.name}:${name}`;
  }

  /** The keys of the data, in the order of {@link BEGIN}. */
  get keys(): string[] {
    return ['format', 'head', 'events', 'snapshot', 'timers'].map((name) => this.key(name));
  }

  /** Connects, and applies all existing events. */
  async open(): Promise<void> {
    await this.connection.open();
    await this.sync();
  }

  /** Appends an event. Resolves to its result, once it and all events before it are applied. */
  append(event: StoreEvent): Promise<unknown> {
    return this.#call(event);
  }

  /** Resolves once all events that any process appended before this call are applied. */
  async sync(): Promise<void> {
    this.#sync ??= this.#call();
    await this.#sync;
  }

  /**
   * Applies new events as they arrive. Only wakes the log, which reads the event again, so that no
   * call waits for this connection.
   */
  async follow(): Promise<void> {
    const from = ['STREAMS', this.key('events')] as const;
    while (!this.#isClosed) {
      try {
        await this.#waker.open();
        const { redis } = this.#waker;
        const streams = await redis.xread('COUNT', 1, 'BLOCK', BLOCK, ...from, this.#last);
        if (streams !== null) await this.sync();
        await sleep(PAUSE, undefined, { ref: false });
      } catch {
        await sleep(LONG_PAUSE, undefined, { ref: false });
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.connection.close();
    this.#waker.close();
  }

  #call(event?: StoreEvent): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#calls.push({ event, resolve, reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => void this.#run());
    });
  }

  async #run(): Promise<void> {
    while (this.#calls.length > 0) {
      const calls = this.#take();
      const began = monotonicTime();
      try {
        await this.#exchange(calls.filter((call): call is Append => call.event !== undefined));
        this.#maxRead = MAX_READ;
        for (const { event, resolve } of calls) if (event === undefined) resolve();
        this.#count(calls, began);
      } catch (cause) {
        const error = unavailable(cause);
        this.#maxRead = Math.ceil(this.#maxRead / 8);
        // Calls that came in the meantime have waited, too.
        calls.push(...this.#take());
        for (const { reject } of calls) reject(error);
        this.#count(calls, began, 'failed');
      }
      // Lets calls that follow from the results join the next round trip.
      await nextTurn();
    }
    this.#isRunning = false;
  }

  #take(): Call[] {
    const calls = this.#calls;
    this.#calls = [];
    this.#sync = undefined;
    return calls;
  }

  #count(calls: readonly Call[], began: number, as?: string): void {
    for (const { event } of calls) {
      const counter = counterIn(this.calls, as ?? event?.do ?? 'sync');
      counter.count++;
      counter.ms += monotonicTime() - began;
    }
  }

  async #exchange(appends: readonly Append[]): Promise<void> {
    if (this.#head === undefined) {
      await this.#enter();
      // The events may name accounts of the lost data.
      if (appends.length > 0) throw unknownResult();
    }
    const appended = new Map<string, Append>();
    let isMore = await this.#read(appended, appends);
    while (isMore) isMore = await this.#read(appended);
    // These events are only in the snapshot.
    for (const { reject } of appended.values()) reject(unknownResult());
    this.#writeSnapshotIfDue(appends.length > 0);
  }

  /**
   * Appends events, and reads and applies new ones.
   *
   * @param appended receives the appended events, by id
   * @returns whether there may be more
   */
  async #read(appended: Map<string, Append>, appends: readonly Append[] = []): Promise<boolean> {
    const events = this.key('events');
    const { epoch = '', snapshot } = this.#head ?? {};
    const maxRead = this.#maxRead;
    const sent = appends.map(({ event }) => fieldsOf(epoch, event));
    const [added, streams, text] = await this.connection.run((redis) =>
      Promise.all([
        Promise.allSettled(sent.map((fields) => redis.xadd(events, 'NOMKSTREAM', '*', ...fields))),
        redis.xread('COUNT', maxRead, 'STREAMS', events, this.#last),
        redis.get(this.key('head')),
      ]),
    );
    added.forEach((result, at) => {
      const append = appends[at];
      if (append === undefined) return;
      if (result.status === 'rejected') append.reject(unavailable(result.reason));
      else appended.set(`${result.value}`, append);
    });
    const head = text === null ? undefined : readHead(text);
    if (head?.epoch !== epoch || appended.has('null')) throw this.#lost();
    if (head.snapshot !== snapshot) this.#sinceSnapshot = { count: 0, bytes: 0 };
    this.#head = head;
    if (isBefore(this.#last, head.first)) {
      if (!(await this.#load(head))) throw this.#lost();
      return true;
    }
    const read = streams?.[0]?.[1] ?? [];
    this.#apply(read, appended);
    return read.length === maxRead;
  }

  #apply(events: readonly [id: string, fields: string[]][], appended: Map<string, Append>): void {
    for (const [id, fields] of events) {
      this.#last = id;
      this.#sinceSnapshot.count++;
      for (const field of fields) this.#sinceSnapshot.bytes += field.length;
      const event = readEvent(this.#head?.epoch ?? '', fields);
      const append = appended.get(id);
      appended.delete(id);
      if (event === undefined) continue;
      try {
        const result = this.#user.apply(event);
        append?.resolve(result);
      } catch (error) {
        // What fails here fails in every process.
        append?.reject(error);
      }
    }
  }

  /** Begins an epoch, or reads the existing one. */
  async #enter(): Promise<void> {
    const { name, ttl } = this.#user;
    const { keys } = this;
    const epoch = randomBytes(6).toString('hex');
    for (;;) {
      const args = [...keys, FORMAT, epoch, ttl, this.#lostEpoch];
      const text = await this.connection.run((redis) => redis.eval(BEGIN, keys.length, ...args));
      if (typeof text !== 'string') throw otherFormat(name);
      const head = readHead(text);
      if (!(await this.#load(head))) continue;
      this.#head = head;
      while (await this.#read(new Map()));
      const joined = fieldsOf(head.epoch, await this.#user.join());
      await this.connection.run((redis) =>
        redis.xadd(this.key('events'), 'NOMKSTREAM', '*', ...joined),
      );
      return;
    }
  }

  /** Loads the snapshot. Returns `false` if it was replaced in the meantime, or is gone. */
  async #load({ text, epoch, snapshot }: Head): Promise<boolean> {
    const lines: string[] = [];
    for (let at = 0; snapshot !== NO_EVENT; at += MAX_PIECES) {
      const [pieces, now] = await this.connection.run((redis) =>
        Promise.all([
          redis.lrange(this.key('snapshot'), at, at + MAX_PIECES - 1),
          redis.get(this.key('head')),
        ]),
      );
      if (now !== text) return false;
      for (const piece of pieces) for (const line of piece.split('\n')) lines.push(line);
      if (pieces.length < MAX_PIECES) break;
    }
    // The server has evicted the snapshot.
    if (snapshot !== NO_EVENT && lines.length === 0) {
      this.#lostEpoch = epoch;
      return false;
    }
    this.#last = snapshot;
    this.#sinceSnapshot = { count: 0, bytes: 0 };
    this.#user.load(lines, epoch);
    return true;
  }

  #lost(): Error {
    this.#head = undefined;
    return unknownResult();
  }

  /**
   * Writes a snapshot after enough events. The process that appended the last one does it first,
   * and any other process later.
   */
  #writeSnapshotIfDue(hasAppended: boolean): void {
    const { count, bytes } = this.#sinceSnapshot;
    const share = Math.max(count / MAX_EVENTS, bytes / Math.max(MIN_BYTES, this.#head?.bytes ?? 0));
    if (share < (hasAppended ? 1 : 2) || this.#isWritingSnapshot) return;
    this.#isWritingSnapshot = true;
    this.#writeSnapshot()
      .catch(() => {})
      .finally(() => (this.#isWritingSnapshot = false));
  }

  async #writeSnapshot(): Promise<void> {
    const head = this.#head;
    if (head === undefined) return;
    const position = this.#last;
    const lines = this.#user.snapshot();
    const unfinished = this.key(`snapshot:${randomBytes(6).toString('hex')}`);
    let bytes = 0;
    for (const piece of piecesOf(lines)) {
      bytes += piece.length;
      await this.connection.run((redis) =>
        Promise.all([redis.rpush(unfinished, piece), redis.pexpire(unfinished, UNFINISHED)]),
      );
    }
    const keys = ['head', 'snapshot'].map((key) => this.key(key));
    const next = `${head.epoch} ${head.snapshot} ${position} ${bytes}`;
    const args = [...keys, unfinished, this.key('events'), head.text, next, head.snapshot];
    await this.connection.run((redis) => redis.eval(TRIM, 4, ...args));
  }
}

function readHead(text: string): Head {
  const [epoch = '', first = '', snapshot = '', bytes] = text.split(' ');
  return { text, epoch, first, snapshot, bytes: Number(bytes) };
}

function* piecesOf(lines: readonly string[]): Generator<string> {
  let piece: string[] = [];
  let length = 0;
  for (const line of lines) {
    piece.push(line);
    length += line.length;
    if (length < PIECE) continue;
    yield piece.join('\n');
    piece = [];
    length = 0;
  }
  if (piece.length > 0) yield piece.join('\n');
}
