import { send } from './client.ts';

/** A server-sent event. */
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

/** The number of requests to get in 100 ms. Nobody reads more, and each costs the mock some time. */
const LIMIT = 10;

/** Reads the events after an id until the stream ends, each time with the last id so far. */
export async function* readEvents(after: string | undefined) {
  const parser = new EventParser();
  const { body } = await send(
    { method: 'GET', path: `/events?limit=${LIMIT}` },
    { accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) },
  );
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return;
    yield { events: parser.push(value), lastId: parser.lastId };
  }
}
