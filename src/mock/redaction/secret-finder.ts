/** A part of a text. `end` is the index after its last character. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The minimum length of a secret to search for, in characters. Shorter texts are too common. */
export const MIN_LENGTH = 4;

/** The maximum length of an incomplete escape at a cut, such as `\u00e`. */
const MAX_CUT_ESCAPE = 5;

/**
 * The configured keys. There can be thousands, so an index of their first characters makes a search
 * for ten thousand keys as fast as for one.
 */
export class KeyIndex {
  /** Whether a key is so short that it counts only as a whole text. */
  hasShort = false;
  readonly #added = new Set<string>();
  readonly #forms = new Set<string>();
  /** The first character of each key, which rules out most places of a text. */
  readonly #initials = new Set<number>();
  /** The lengths of the keys, by their first characters. */
  readonly #lengths = new Map<string, Set<number>>();

  /**
   * Adds a key. With fewer than 4 characters, it counts only as a whole text.
   *
   * @returns whether it is new
   */
  add(key: string): boolean {
    if (key === '' || this.#added.has(key)) return false;
    this.#added.add(key);
    this.hasShort ||= key.length < MIN_LENGTH;
    for (const form of formsOf(key)) {
      this.#forms.add(form);
      this.#initials.add(form.charCodeAt(0));
      const beginning = form.slice(0, MIN_LENGTH);
      const lengths = this.#lengths.get(beginning) ?? new Set();
      this.#lengths.set(beginning, lengths.add(form.length));
    }
    return true;
  }

  isKey(text: string): boolean {
    return this.#added.has(text);
  }

  /** Whether a text is a key in any of its forms, apart from white space around it. */
  has(text: string): boolean {
    return this.#forms.has(lowerCase(text.trim()));
  }

  /** The places of keys in a text. Before a cut, the beginning of a key also counts. */
  find(text: string, isCut: boolean): Span[] {
    const { length } = text;
    if (length < MIN_LENGTH) return this.#forms.has(text) ? [{ start: 0, end: length }] : [];
    const spans: Span[] = [];
    for (let start = 0; start + MIN_LENGTH <= length; start++) {
      if (!this.#initials.has(text.charCodeAt(start))) continue;
      for (const size of this.#lengths.get(text.slice(start, start + MIN_LENGTH)) ?? []) {
        const end = start + size;
        if (this.#forms.has(text.slice(start, end))) spans.push({ start, end });
        // Hide a few characters too many rather than compare every key.
        else if (isCut && end + MAX_CUT_ESCAPE > length) spans.push({ start, end: length });
      }
    }
    return spans;
  }
}

/** The places of a request's secrets in a text, which is in lower case. */
export function placesOf(forms: readonly string[], text: string, isCut: boolean): Span[] {
  const spans: Span[] = [];
  for (const form of forms) {
    let end = 0;
    for (let start = text.indexOf(form); start !== -1; start = text.indexOf(form, end)) {
      end = start + form.length;
      spans.push({ start, end });
    }
    const last = Math.max(0, text.length - form.length - MAX_CUT_ESCAPE);
    const start = isCut ? text.indexOf(form.slice(0, MIN_LENGTH), last) : -1;
    if (start !== -1) spans.push({ start, end: text.length });
  }
  return spans;
}

/**
 * Searches a text as it is, percent-decoded, and with JSON escapes decoded.
 *
 * @param find receives the text in lower case
 */
export function inAnyEncoding(text: string, find: (lower: string) => Span[]): Span[] {
  const spans = find(lowerCase(text));
  for (const { prefix, units, decode } of ENCODINGS) {
    if (!text.includes(prefix)) continue;
    const { plain, places } = decoded(text, units, decode);
    for (const { start, end } of find(lowerCase(plain))) {
      spans.push({ start: places[start] ?? text.length, end: places[end] ?? text.length });
    }
  }
  return spans;
}

const ENCODINGS: readonly { prefix: string; units: RegExp; decode: (unit: string) => string }[] = [
  { prefix: '%', units: /(%[0-9a-f]{2})/i, decode: fromPercent },
  { prefix: '\\', units: /(\\(?:u[0-9a-f]{4}|.))/is, decode: fromJson },
];

/** The decoded text, and the original place of each of its characters. */
function decoded(text: string, units: RegExp, decode: (unit: string) => string) {
  let plain = '';
  const places: number[] = [];
  let next = 0;
  text.split(units).forEach((piece, index) => {
    const isUnit = index % 2 === 1;
    const characters = isUnit ? decode(piece) : piece;
    plain += characters;
    for (let at = 0; at < characters.length; at++) places.push(next + at);
    next += piece.length;
  });
  return { plain, places };
}

function fromPercent(unit: string): string {
  return String.fromCharCode(Number.parseInt(unit.slice(1), 16));
}

const CONTROL_ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function fromJson(unit: string): string {
  if (unit.length > 2) return String.fromCharCode(Number.parseInt(unit.slice(2), 16));
  return CONTROL_ESCAPES[unit[1] ?? ''] ?? unit.slice(1);
}

/**
 * How other texts contain a secret, in lower case: Node reads headers as latin1, percent escapes are
 * bytes, and forms write a space as `+`.
 */
export function formsOf(secret: string): string[] {
  const texts = [secret, Buffer.from(secret).toString('latin1')].flatMap((text) => [
    text,
    text.replaceAll('+', ' '),
    text.replaceAll(' ', '+'),
  ]);
  return [...new Set(texts.map(lowerCase))];
}

/** Keeps the length: only `İ` has a longer lower case. */
function lowerCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}
