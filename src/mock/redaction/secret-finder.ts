import { Automaton, MIN_LENGTH, type Span } from './automaton.ts';

/**
 * The configured keys, or the secrets of a request. A search takes one pass over the text for each of
 * a few automata, however many secrets there are.
 */
export class SecretFinder {
  /** Whether a secret is so short that it counts only as a whole text. */
  hasShort = false;
  readonly #forms = new Set<string>();
  /** Forms that no automaton has yet. */
  #newForms: string[] = [];
  /** Each has more than twice as many forms as the next one, so adding secrets one by one is cheap. */
  readonly #automata: { readonly forms: readonly string[]; readonly automaton: Automaton }[] = [];

  add(secret: string): void {
    if (secret === '') return;
    this.hasShort ||= secret.length < MIN_LENGTH;
    for (const form of formsOf(secret)) {
      if (form.length >= MIN_LENGTH && !this.#forms.has(form)) this.#newForms.push(form);
      this.#forms.add(form);
    }
  }

  /** Whether a text is a secret in any of its forms, apart from white space around it. */
  has(text: string): boolean {
    return this.#forms.has(lowerCase(text.trim()));
  }

  /** The places of secrets in a text. Before a cut, the beginning of a secret also counts. */
  find(text: string, isCut: boolean): Span[] {
    const { length } = text;
    if (length < MIN_LENGTH) return this.#forms.has(text) ? [{ start: 0, end: length }] : [];
    if (this.#newForms.length > 0) this.#build();
    return this.#automata.flatMap(({ automaton }) => automaton.find(text, isCut));
  }

  #build(): void {
    let forms = this.#newForms;
    this.#newForms = [];
    for (
      let last = this.#automata.at(-1);
      last !== undefined && last.forms.length <= 2 * forms.length;
      last = this.#automata.at(-1)
    ) {
      forms = [...last.forms, ...forms];
      this.#automata.pop();
    }
    this.#automata.push({ forms, automaton: new Automaton(forms) });
  }
}

/** Searches a text as it is, percent-decoded, and with JSON escapes decoded, all in lower case. */
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

const ENCODINGS: readonly { prefix: string; units: RegExp; decode: (unit: string) => number }[] = [
  { prefix: '%', units: /%[0-9a-f]{2}/gi, decode: fromPercent },
  { prefix: '\\', units: /\\(?:u[0-9a-f]{4}|.)/gis, decode: fromJson },
];

/** The decoded text, and the original place of each of its characters. */
function decoded(text: string, units: RegExp, decode: (unit: string) => number) {
  // A list with an element for each character would take more time than the search.
  const codes = new Uint16Array(text.length);
  const places = new Uint32Array(text.length + 1);
  let length = 0;
  let next = 0;
  const add = (code: number, end: number) => {
    codes[length] = code;
    places[length++] = next;
    next = end;
  };
  const copyTo = (end: number) => {
    while (next < end) add(text.charCodeAt(next), next + 1);
  };
  text.replace(units, (unit, at) => {
    copyTo(at);
    add(decode(unit), at + unit.length);
    return '';
  });
  copyTo(text.length);
  places[length] = text.length;
  return { plain: Buffer.from(codes.buffer, 0, length * 2).toString('utf16le'), places };
}

function fromPercent(unit: string): number {
  return Number.parseInt(unit.slice(1), 16);
}

const JSON_ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function fromJson(unit: string): number {
  if (unit.length > 2) return Number.parseInt(unit.slice(2), 16);
  const character = unit.slice(1);
  return (JSON_ESCAPES[character] ?? character).charCodeAt(0);
}

/**
 * How other texts contain a secret, in lower case: Node reads headers as latin1, percent escapes are
 * bytes, and forms write a space as `+`.
 */
function formsOf(secret: string): string[] {
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

/** The words of a text that are keys. */
export function keyWords(text: string, words: RegExp, isKey: (word: string) => boolean): Span[] {
  const all = Array.from(text.matchAll(words), ({ 0: word, index }) => {
    return { word, start: index, end: index + word.length };
  });
  return all.filter(({ word }) => isKey(word));
}
