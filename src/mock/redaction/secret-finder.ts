import { AhoCorasick } from './aho-corasick.ts';

/** A part of a text. `end` is the index after its last character. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How to search for secrets. */
export interface FindOptions {
  /** The secrets of one request, to find them too. */
  readonly more?: RequestSecrets;
  /** Whether the text was cut, so that its end may be the beginning of a secret. */
  readonly isCut?: boolean;
}

/** The minimum length of secrets to find inside texts, in characters. Shorter is too common. */
export const SHORTEST = 4;

/** The maximum length of an incomplete escape at a cut, such as `\u00e`. */
const UNFINISHED = 5;

/**
 * Finds secrets in other texts, in any letter case. It looks up each place of a text by the first
 * characters of the secrets, so that ten thousand secrets cost no more than one.
 */
export class SecretFinder {
  #hasShort = false;
  readonly #secrets = new Set<string>();
  /** The first character of each secret. At most places, no secret can begin. */
  readonly #initials = new Set<number>();
  /** The lengths of the secrets, by their first characters. */
  readonly #lengths = new Map<string, Set<number>>();

  /** Whether there is a secret that is only found if it is the whole text. */
  get hasShort(): boolean {
    return this.#hasShort;
  }

  /** Adds a secret. If it has fewer than 4 characters, it is only found if it is the whole text. */
  add(secret: string): void {
    if (secret === '') return;
    this.#hasShort ||= secret.length < SHORTEST;
    for (const form of formsOf(secret)) {
      this.#secrets.add(form);
      this.#initials.add(form.charCodeAt(0));
      const beginning = form.slice(0, SHORTEST);
      const lengths = this.#lengths.get(beginning) ?? new Set();
      this.#lengths.set(beginning, lengths.add(form.length));
    }
  }

  /** Whether a text is one of the secrets. */
  has(text: string): boolean {
    return this.#secrets.has(lowerCase(text));
  }

  /**
   * The places of secrets in a text: plain, percent-encoded (with a space also as `+`) or escaped
   * as in JSON.
   */
  find(text: string, { more, isCut = false }: FindOptions = {}): Span[] {
    const find = (read: string) => {
      const lower = lowerCase(read);
      return [...this.#find(lower, isCut), ...(more?.find(lower, isCut) ?? [])];
    };
    const found = find(text);
    for (const { sign, units, decode } of ENCODINGS) {
      if (!text.includes(sign)) continue;
      const { read, places } = decoded(text, units, decode);
      for (const { start, end } of find(read)) {
        found.push({ start: places[start] ?? text.length, end: places[end] ?? text.length });
      }
    }
    return found;
  }

  #find(text: string, isCut: boolean): Span[] {
    const { length } = text;
    if (length < SHORTEST) return this.#secrets.has(text) ? [{ start: 0, end: length }] : [];
    const spans: Span[] = [];
    for (let start = 0; start + SHORTEST <= length; start++) {
      if (!this.#initials.has(text.charCodeAt(start))) continue;
      for (const size of this.#lengths.get(text.slice(start, start + SHORTEST)) ?? []) {
        const end = start + size;
        if (this.#secrets.has(text.slice(start, end))) spans.push({ start, end });
        // Before a cut, hide a few characters too many rather than compare every secret.
        else if (isCut && end + UNFINISHED > length) spans.push({ start, end: length });
      }
    }
    return spans;
  }
}

/** The secrets of one request. */
export class RequestSecrets {
  readonly #secrets: ReadonlySet<string>;
  readonly #forms: readonly string[];
  readonly #words: AhoCorasick;

  /** @param secrets those with fewer than 4 characters are left out */
  constructor(secrets: Iterable<string>) {
    this.#secrets = new Set([...secrets].filter(({ length }) => length >= SHORTEST));
    this.#forms = [...this.#secrets].flatMap(formsOf);
    this.#words = new AhoCorasick(this.#forms);
  }

  /** Whether a text is one of them. */
  has(text: string): boolean {
    return this.#secrets.has(text);
  }

  /** The places of the secrets in a text, which must be in lower case. */
  find(text: string, isCut: boolean): Span[] {
    if (this.#forms.length === 0) return [];
    const spans = this.#words.find(text);
    if (!isCut) return spans;
    for (const form of this.#forms) {
      const last = Math.max(0, text.length - form.length - UNFINISHED);
      const start = text.indexOf(form.slice(0, SHORTEST), last);
      if (start !== -1) spans.push({ start, end: text.length });
    }
    return spans;
  }
}

/** The encodings of a text. */
const ENCODINGS: readonly {
  /** A text without this character does not use the encoding. */
  readonly sign: string;
  /** Matches the encoded characters. */
  readonly units: RegExp;
  readonly decode: (unit: string) => string;
}[] = [
  { sign: '%', units: /%[0-9a-f]{2}/gi, decode: fromPercent },
  {
    sign: '+',
    units: /\+|%[0-9a-f]{2}/gi,
    decode: (unit) => (unit === '+' ? ' ' : fromPercent(unit)),
  },
  { sign: '\\', units: /\\(?:u[0-9a-f]{4}|.)/gis, decode: fromJson },
];

/** The decoded text, and the place of each of its characters in the original text. */
function decoded(text: string, units: RegExp, decode: (unit: string) => string) {
  let read = '';
  const places: number[] = [];
  let next = 0;
  const copyUntil = (end: number) => {
    read += text.slice(next, end);
    for (; next < end; next++) places.push(next);
  };
  for (const { 0: found, index } of text.matchAll(units)) {
    copyUntil(index);
    read += decode(found);
    places.push(index);
    next = index + found.length;
  }
  copyUntil(text.length);
  return { read, places };
}

function fromPercent(unit: string): string {
  return String.fromCharCode(Number.parseInt(unit.slice(1), 16));
}

const CONTROL: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function fromJson(unit: string): string {
  if (unit.length > 2) return String.fromCharCode(Number.parseInt(unit.slice(2), 16));
  return CONTROL[unit[1] ?? ''] ?? unit.slice(1);
}

/**
 * The forms of a secret in other texts: Node reads headers as latin1, percent escapes are bytes,
 * and a `+` that a client does not escape arrives as a space.
 */
function formsOf(secret: string): string[] {
  const isAscii = /^[ -~]*$/.test(secret);
  const forms = isAscii ? [secret] : [secret, Buffer.from(secret).toString('latin1')];
  if (secret.includes('+')) forms.push(...forms.map((form) => form.replaceAll('+', ' ')));
  return forms.map(lowerCase);
}

/** Lower case of the same length: only `İ` has a longer lower case. */
function lowerCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}
