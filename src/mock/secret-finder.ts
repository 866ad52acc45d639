import { AhoCorasick } from './aho-corasick.ts';

/** A part of a text, from its first character to the one behind its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where secrets are searched for. */
export interface FindOptions {
  /** Secrets of one request only. */
  readonly more?: RequestSecrets;
  /** The text was cut: an end that may be the beginning of a secret counts too. */
  readonly isCut?: boolean;
}

/** In characters. A shorter secret is too common to be searched for inside other texts. */
export const SHORTEST = 4;

/** What a cut can leave of an escape is at most `\u00e`. */
const UNFINISHED = 5;

/**
 * Finds secrets in other texts, in any letter case. Each place of a text is looked up by the first
 * characters of the secrets, so that ten thousand secrets cost no more than one.
 */
export class SecretFinder {
  #hasShort = false;
  readonly #secrets = new Set<string>();
  /** The first character of each secret, because most places of a text begin by none of them. */
  readonly #initials = new Set<number>();
  /** How long the secrets are, by their first characters. */
  readonly #lengths = new Map<string, Set<number>>();

  /** Whether there is a secret that is found only where it is the whole text. */
  get hasShort(): boolean {
    return this.#hasShort;
  }

  /** Adds a secret. One of fewer than 4 characters is found only where it is the whole text. */
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
   * The places of secrets in a text: as they are, percent-encoded (a space also as `+`) or escaped
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
        // At a cut, hiding a few characters too many is simpler than comparing every secret.
        else if (isCut && end + UNFINISHED > length) spans.push({ start, end: length });
      }
    }
    return spans;
  }
}

/** The secrets that one request carries. */
export class RequestSecrets {
  readonly #secrets: ReadonlySet<string>;
  readonly #forms: readonly string[];
  readonly #words: AhoCorasick;

  /** @param secrets those that are too short to be searched for are left out */
  constructor(secrets: Iterable<string>) {
    this.#secrets = new Set([...secrets].filter(({ length }) => length >= SHORTEST));
    this.#forms = [...this.#secrets].flatMap(formsOf);
    this.#words = new AhoCorasick(this.#forms);
  }

  /** Whether a text is one of them. */
  has(text: string): boolean {
    return this.#secrets.has(text);
  }

  /** Their places in a text in lower case. */
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

/** The ways in which a text can be encoded. */
const ENCODINGS: readonly {
  /** No text without it is encoded so. */
  readonly sign: string;
  /** What stands for another character. */
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

/** A text as it reads decoded, and the place of each of its characters in the text as it was. */
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
 * A secret as other texts have it: Node reads headers as latin1 and percent escapes are bytes, and
 * a `+` that a client does not escape arrives as a space.
 */
function formsOf(secret: string): string[] {
  const isAscii = /^[ -~]*$/.test(secret);
  const forms = isAscii ? [secret] : [secret, Buffer.from(secret).toString('latin1')];
  if (secret.includes('+')) forms.push(...forms.map((form) => form.replaceAll('+', ' ')));
  return forms.map(lowerCase);
}

/** Of the same length: `İ` alone has a longer lower case. */
function lowerCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}
