import { send } from './client.ts';

/** One server-sent event. */
export interface ServerEvent {
  readonly name: string;
  readonly content: object & { readonly count?: number; readonly what?: string };
}

/** Reads server-sent events, as the control API writes them, from text that comes in pieces. */
export class EventParser {
  /** The id that the server sent last, from which to resume. */
  lastId: string | undefined;
  #rest = '';

  /** Takes the next piece of the text, and returns the events that it completes. */
  push(piece: string): ServerEvent[] {
    const blocks = (this.#rest + piece).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const lines = block.split('\n').map((line) => line.split(/: (.*)/s, 2));
      const { event, data, id } = Object.fromEntries(lines);
      this.lastId = id ?? this.lastId;
      return data === undefined ? [] : { name: event, content: JSON.parse(data) };
    });
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
  const headers = {
    accept: 'text/event-stream',
    ...(lastId !== undefined && { 'last-event-id': lastId }),
  };
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
