import { send } from './client.ts';

/** One server-sent event. */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** Reads server-sent events from text that comes in pieces. */
export class EventParser {
  /** The id that the server sent last, from which to resume. */
  lastId: string | undefined;
  #rest = '';
  #name = '';
  #data: string[] = [];

  /** Takes the next piece of the text, and returns the events that it completes. */
  push(piece: string): ServerEvent[] {
    const text = this.#rest + piece;
    // A carriage return at the end may be the first half of a line break.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? '') + text.slice(end);
    return lines.flatMap((line) => this.#read(line));
  }

  #read(line: string): ServerEvent[] {
    if (line === '') return this.#complete();
    const [, field, value = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? [];
    if (field === 'event') this.#name = value;
    if (field === 'data') this.#data.push(value);
    if (field === 'id') this.lastId = value;
    return [];
  }

  #complete(): ServerEvent[] {
    const event = { name: this.#name || 'message', data: this.#data.join('\n') };
    const hasData = this.#data.length > 0;
    this.#name = '';
    this.#data = [];
    return hasData ? [event] : [];
  }
}

/** What becomes of the connection for events. */
export interface EventListener {
  /** The events come. `isOtherMock` says that another process has taken the place of the mock. */
  onOpen(isOtherMock: boolean): void;
  onEvents(events: readonly ServerEvent[]): void;
  /** The connection was lost; it is tried again. */
  onLost(): void;
}

/** The time until the next try to connect, in ms. */
const RETRY = 1000;

/** The number of requests to get in 100 ms. Nobody reads more, and each costs the mock some time. */
const LIMIT = 10;

/** The longest time without a sign of life, in ms; the server gives one every 15 s. */
const SILENCE = 40_000;

/** Follows the events of the control API as long as the page is open. */
export async function followEvents(listener: EventListener): Promise<never> {
  let lastId: string | undefined;
  for (;;) {
    let isOpen = false;
    try {
      await readEvents(lastId, (events, id) => {
        // From the first id on, no event is missed.
        if (!isOpen && id !== undefined) {
          isOpen = true;
          listener.onOpen(lastId !== undefined && mockOf(id) !== mockOf(lastId));
        }
        lastId = id ?? lastId;
        if (events.length > 0) listener.onEvents(events);
      });
    } catch {
      // The same as a stream that ends: the mock was stopped, or the network is down.
    }
    listener.onLost();
    await new Promise((resolve) => setTimeout(resolve, RETRY));
  }
}

/** The part of an id that differs in every process. */
function mockOf(id: string): string {
  return id.slice(0, id.indexOf('-'));
}

/** Reads events until the stream ends. Tells what came, and the last id so far. */
async function readEvents(
  lastId: string | undefined,
  onEvents: (events: ServerEvent[], id: string | undefined) => void,
): Promise<void> {
  const parser = new EventParser();
  const stop = new AbortController();
  const since = lastId === undefined ? {} : { 'last-event-id': lastId };
  const headers = { accept: 'text/event-stream', ...since };
  let silence = setTimeout(() => stop.abort(), SILENCE);
  try {
    const call = { method: 'GET', path: `/events?limit=${LIMIT}` } as const;
    const { body } = await send(call, headers, stop.signal);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(() => stop.abort(), SILENCE);
      onEvents(parser.push(value), parser.lastId);
    }
  } finally {
    clearTimeout(silence);
    stop.abort();
  }
}
