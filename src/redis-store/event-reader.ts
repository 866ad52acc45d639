import type { Redis } from 'ioredis';
import { sleep } from '../timers.ts';

/** The fields of an event, by their names. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** Is told each event, in the order in which they happened in all processes. */
export type OnEvent = (fields: Fields, id: string, isOld: boolean) => void;

/** How long one read waits for an event, in ms. */
const LONGEST_READ = 2000;
/** How many events are read at a time. */
const MOST_READ = 1000;
/** The pause before a read is tried again without a connection, in ms. */
const PAUSE = 200;

/** Reads what happened in all processes from the stream of the store, on a connection of its own. */
export class EventReader {
  readonly #redis: Redis;
  readonly #stream: string;
  readonly #onEvent: OnEvent;
  readonly #waiting = new Set<() => void>();
  #last = '0-0';
  #isClosed = false;

  constructor(redis: Redis, stream: string, onEvent: OnEvent) {
    this.#redis = redis;
    this.#stream = stream;
    this.#onEvent = onEvent;
  }

  /** The id of the event that was read last. */
  get last(): string {
    return this.#last;
  }

  /** Reads what there is, and goes on to read what comes. */
  async start(): Promise<void> {
    await this.#redis.connect();
    while ((await this.#read(true)) === MOST_READ);
    void this.#run();
  }

  /** Resolves when an event, or a later one, was read. */
  async reached(id: string): Promise<void> {
    while (compare(this.#last, id) < 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#redis.disconnect();
    this.#wake();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await this.#read(false).catch(() => sleep(PAUSE, undefined, { ref: false }));
    }
  }

  async #read(isOld: boolean): Promise<number> {
    const from = ['STREAMS', this.#stream, this.#last] as const;
    const found = isOld
      ? await this.#redis.xread('COUNT', MOST_READ, ...from)
      : await this.#redis.xread('COUNT', MOST_READ, 'BLOCK', LONGEST_READ, ...from);
    const [[, events] = ['', []]] = found ?? [];
    for (const [id, list] of events) {
      this.#last = id;
      const pairs = list.flatMap((name, at) => (at % 2 === 0 ? [[name, `${list[at + 1]}`]] : []));
      this.#onEvent(Object.fromEntries(pairs), id, isOld);
    }
    if (events.length > 0) this.#wake();
    return events.length;
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

/** Compares two ids of a stream, as `sort` wants it. */
export function compare(one: string, two: string): number {
  return positionOf(one) - positionOf(two);
}

/** An id of a stream as a number: its time in ms, and its place in it. */
export function positionOf(id: string): number {
  const [time = 0, place = 0] = id.split('-').map(Number);
  return time * 4096 + Math.min(place, 4095);
}
