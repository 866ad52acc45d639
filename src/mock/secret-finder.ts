/** A part of a text, from its first character to the one behind its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A shorter secret is too common a text to be searched for inside other texts. */
export const SHORTEST = 4;

/** The longest escape that a cut can leave unfinished: `\u00e`. */
const UNFINISHED = 5;

/**
 * Finds secrets inside other texts, in any letter case. Each place of a text is looked up by the
 * first characters of the secrets, so that ten thousand secrets cost no more than one.
 */
export class SecretFinder {
  readonly #secrets = new Set<string>();
  /** How long the secrets are that begin with the same characters. */
  readonly #lengths = new Map<string, Set<number>>();

  /** Adds a secret. A short one is found by {@link isSecret} only. */
  add(secret: string): void {
    if (secret === '') return;
    // Node reads headers as latin1, and percent escapes are bytes too.
    for (const text of [secret, Buffer.from(secret).toString('latin1')]) {
      const lower = lowerCase(text);
      this.#secrets.add(lower);
      if (lower.length < SHORTEST) continue;
      const beginning = lower.slice(0, SHORTEST);
      const lengths = this.#lengths.get(beginning) ?? new Set();
      this.#lengths.set(beginning, lengths.add(lower.length));
    }
  }

  /** Whether a text is a secret as a whole. */
  isSecret(text: string): boolean {
    return this.#secrets.has(lowerCase(text));
  }

  /**
   * The places of secrets in a text: as they are, percent-encoded (a space also as `+`) or
   * escaped as in JSON.
   *
   * @param isCut the text ends anywhere: an end that may be the beginning of a secret is found too
   */
  find(text: string, isCut = false): Span[] {
    if (this.#lengths.size === 0) return [];
    const found = this.#findIn(text, isCut);
    for (const { sign, units, decode } of ENCODINGS) {
      if (!text.includes(sign)) continue;
      const encoded = [...text.matchAll(units)];
      const decoded = encoded.map(([unit]) => decode(unit)).join('');
      const placeOf = (at: number) => encoded[at]?.index ?? text.length;
      for (const { start, end } of this.#findIn(decoded, isCut)) {
        found.push({ start: placeOf(start), end: placeOf(end) });
      }
    }
    return found;
  }

  #findIn(text: string, isCut: boolean): Span[] {
    const lower = lowerCase(text);
    const spans: Span[] = [];
    for (let start = 0; start + SHORTEST <= lower.length; start++) {
      const lengths = this.#lengths.get(lower.slice(start, start + SHORTEST));
      for (const length of lengths ?? []) {
        const end = start + length;
        if (this.#secrets.has(lower.slice(start, end))) spans.push({ start, end });
        // To hide a few characters too many at a cut is simpler than to compare with every secret.
        else if (isCut && end + UNFINISHED > lower.length) spans.push({ start, end: lower.length });
      }
    }
    return spans;
  }
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
  {
    sign: '+',
    units: PERCENT,
    decode: (unit) => (unit === '+' ? ' ' : fromPercent(unit)),
  },
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

/** In ASCII only: elsewhere a letter can change its length. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
