/** A part of a text, from its first character to the one behind its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where secrets are searched for. */
export interface FindOptions {
  /** Secrets of one request only, none shorter than {@link SHORTEST}. */
  readonly more?: readonly string[];
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
  readonly #secrets = new Set<string>();
  /** How long the secrets are, by their first characters. */
  readonly #lengths = new Map<string, Set<number>>();

  /** Adds a secret. One of fewer than 4 characters is found only where it is the whole text. */
  add(secret: string): void {
    if (secret === '') return;
    for (const form of formsOf(secret)) {
      this.#secrets.add(form);
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
  find(text: string, { more = [], isCut = false }: FindOptions = {}): Span[] {
    const forms = more.flatMap(formsOf);
    const find = (read: string) => {
      const lower = lowerCase(read);
      return [...this.#find(lower, isCut), ...findAll(forms, lower, isCut)];
    };
    const found = find(text);
    for (const { sign, units, decode } of ENCODINGS) {
      if (!text.includes(sign)) continue;
      const encoded = [...text.matchAll(units)];
      const placeOf = (at: number) => encoded[at]?.index ?? text.length;
      for (const { start, end } of find(encoded.map(([unit]) => decode(unit)).join(''))) {
        found.push({ start: placeOf(start), end: placeOf(end) });
      }
    }
    return found;
  }

  #find(text: string, isCut: boolean): Span[] {
    const { length } = text;
    if (length < SHORTEST) return this.#secrets.has(text) ? [{ start: 0, end: length }] : [];
    const spans: Span[] = [];
    for (let start = 0; start + SHORTEST <= length; start++) {
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

/** The places of a few secrets. */
function findAll(secrets: readonly string[], text: string, isCut: boolean): Span[] {
  const spans: Span[] = [];
  for (const secret of secrets) {
    const { length } = secret;
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + length)) {
      spans.push({ start: at, end: at + length });
    }
    if (!isCut) continue;
    const last = Math.max(0, text.length - length - UNFINISHED);
    const start = text.indexOf(secret.slice(0, SHORTEST), last);
    if (start !== -1) spans.push({ start, end: text.length });
  }
  return spans;
}

const PERCENT = /%[0-9a-f]{2}|./gis;

/** The ways in which a text can be encoded: each unit stands for one character. */
const ENCODINGS: readonly {
  /** No text without it is encoded so. */
  readonly sign: string;
  readonly units: RegExp;
  readonly decode: (unit: string) => string;
}[] = [
  { sign: '%', units: PERCENT, decode: fromPercent },
  { sign: '+', units: PERCENT, decode: (unit) => (unit === '+' ? ' ' : fromPercent(unit)) },
  { sign: '\\', units: /\\u[0-9a-f]{4}|\\?./gis, decode: fromJson },
];

function fromPercent(unit: string): string {
  return unit.length === 1 ? unit : String.fromCharCode(Number.parseInt(unit.slice(1), 16));
}

const CONTROL: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function fromJson(unit: string): string {
  if (unit.length === 1) return unit;
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
