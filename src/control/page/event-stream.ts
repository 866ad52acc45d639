import type { ControlClient } from './control-client.ts';
import { EventParser, type ServerEvent } from './event-parser.ts';

/** What becomes of the connection for events. */
export interface StreamListener {
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
export async function followEvents(client: ControlClient, listener: StreamListener): Promise<void> {
  let lastId: string | undefined;
  for (;;) {
    try {
      let isOpen = false;
      for await (const { events, id } of readStream(client, lastId)) {
        if (!isOpen && id !== undefined) {
          isOpen = true;
          listener.onOpen(lastId !== undefined && mockOf(id) !== mockOf(lastId));
        }
        lastId = id ?? lastId;
        if (events.length > 0) listener.onEvents(events);
      }
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

interface Piece {
  readonly events: ServerEvent[];
  /** The last id so far. From the first one on, no event is missed. */
  readonly id: string | undefined;
}

async function* readStream(client: ControlClient, lastId?: string): AsyncGenerator<Piece> {
  const parser = new EventParser();
  const stop = new AbortController();
  const since = lastId === undefined ? {} : { 'last-event-id': lastId };
  const headers = { accept: 'text/event-stream', ...since };
  let silence = setTimeout(() => stop.abort(), SILENCE);
  try {
    const call = { method: 'GET', path: `/events?limit=${LIMIT}` } as const;
    const response = await client.send(call, headers, stop.signal);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    while (reader !== undefined) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(() => stop.abort(), SILENCE);
      yield { events: parser.push(value), id: parser.lastId };
    }
  } finally {
    clearTimeout(silence);
    stop.abort();
  }
}
