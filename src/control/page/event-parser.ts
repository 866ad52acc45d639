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
