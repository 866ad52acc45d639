import { stripVTControlCharacters } from 'node:util';

/** How much of the beginning of an output is kept, and at least of its end, in characters. */
const MAX_KEPT = 16_384;
/** A stack or a report of Go's race detector says first what happened, and a log last. */
const FIRST_LINES = 3;
const LAST_LINES = 7;
const MAX_LINE = 500;
/** A line that is longer is left out: a part of it might end inside a secret. */
const MAX_WAITING = 1_048_576;

/** What a program wrote: of a long output, the beginning and the end. */
export class Output {
  #beginning = '';
  #older = '';
  #newer = '';
  #isCut = false;

  add(text: string): void {
    const room = MAX_KEPT - this.#beginning.length;
    this.#beginning += text.slice(0, room);
    this.#newer += text.slice(room);
    if (this.#newer.length <= MAX_KEPT) return;
    this.#isCut ||= this.#older !== '' || this.#newer.length > 2 * MAX_KEPT;
    this.#older = this.#newer.slice(-2 * MAX_KEPT);
    this.#newer = '';
  }

  /** Lines at a cut are left out, because a part of a secret in one would not be recognized. */
  get text(): string {
    const end = this.#older + this.#newer;
    if (!this.#isCut) return this.#beginning + end;
    const whole = this.#beginning.slice(0, this.#beginning.lastIndexOf('\n') + 1);
    const next = end.indexOf('\n');
    return `${whole}…${next === -1 ? '' : end.slice(next)}`;
  }
}

/** Without colors and other control characters. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, '');
}

/** The first and the last lines, each on a line of its own; empty without any. */
export function firstAndLastLines(text: string): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '') return '';
  const isLong = lines.length > FIRST_LINES + LAST_LINES;
  const shown = isLong ? [...lines.slice(0, FIRST_LINES), '…', ...lines.slice(-LAST_LINES)] : lines;
  return shown.map((line) => `\n  ${shortened(line, MAX_LINE)}`.trimEnd()).join('');
}

export function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).trimEnd()}…` : text;
}

/** Passes text on in whole lines. */
export class LineSplitter {
  #waiting = '';
  #isLeftOut = false;
  readonly #onLines: (lines: string) => void;

  constructor(onLines: (lines: string) => void) {
    this.#onLines = onLines;
  }

  add(text: string): void {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) {
      const lines = this.#waiting + text.slice(0, end);
      this.#onLines(this.#isLeftOut ? `…${lines.slice(lines.indexOf('\n'))}` : lines);
      this.#waiting = '';
      this.#isLeftOut = false;
    }
    this.#waiting += text.slice(end);
    if (this.#waiting.length <= MAX_WAITING) return;
    this.#waiting = '';
    this.#isLeftOut = true;
  }

  end(): void {
    if (this.#waiting !== '' || this.#isLeftOut) this.add('\n');
  }
}
