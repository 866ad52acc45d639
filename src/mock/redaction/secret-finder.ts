import { Automaton, MIN_LENGTH, type Span } from './automaton.ts';

/**
 * The configured keys, or the secrets of a request. A search takes one pass over the text for each of
 * a few automata, however many secrets there are.
 */
export class SecretFinder {
  /** How many secrets have a form. */
  readonly #forms = new Map<string, number>();
  /** Forms that no automaton has yet. */
  #newForms = new Set<string>();
  /** Each has more than twice as many forms as the next one, so adding secrets one by one is cheap. */
  #automata: { readonly forms: readonly string[]; readonly automaton: Automaton }[] = [];
  #shortForms = 0;
  /** The length of all forms that were removed from automata since all were built. */
  #removed = 0;
  /** The length of all forms. */
  characters = 0;

  /** A secret that is added twice must be removed twice. */
  add(secret: string): void {
    for (const form of formsOf(secret)) {
      const count = this.#forms.get(form) ?? 0;
      this.#forms.set(form, count + 1);
      if (count > 0) continue;
      this.characters += form.length;
      if (form.length < MIN_LENGTH) this.#shortForms++;
      else this.#newForms.add(form);
    }
  }

  remove(secret: string): void {
    for (const form of formsOf(secret)) {
      const count = this.#forms.get(form) ?? 0;
      if (count > 1) this.#forms.set(form, count - 1);
      if (count !== 1) continue;
      this.#forms.delete(form);
      this.characters -= form.length;
      if (form.length < MIN_LENGTH) this.#shortForms--;
      else if (!this.#newForms.delete(form)) this.#removeBuilt(form);
    }
  }

  #removeBuilt(form: string): void {
    for (const { automaton } of this.#automata) automaton.remove(form);
    // Seldom enough that removing secrets one by one is cheap.
    this.#removed += form.length;
    if (this.#removed <= this.characters) return;
    this.#newForms = new Set([...this.#forms.keys()].filter(({ length }) => length >= MIN_LENGTH));
    this.#automata = [];
    this.#removed = 0;
  }

  /** Whether a secret is so short that it counts only as a whole text. */
  get hasShort(): boolean {
    return this.#shortForms > 0;
  }

  get nodes(): number {
    return this.#automata.reduce((sum, { automaton }) => sum + automaton.nodes, 0);
  }

  /** Whether a text is a secret in any of its forms, apart from white space around it. */
  has(text: string): boolean {
    return this.#forms.has(lowerCase(text.trim()));
  }

  /** The places of secrets in a text. Before a cut, the beginning of a secret also counts. */
  find(text: string, isCut: boolean): Span[] {
    const { length } = text;
    if (length < MIN_LENGTH) return this.#forms.has(text) ? [{ start: 0, end: length }] : [];
    if (this.#newForms.size > 0) this.#build();
    return this.#automata.flatMap(({ automaton }) => automaton.find(text, isCut));
  }

  #build(): void {
    const kept = [...this.#automata];
    let forms = [...this.#newForms];
    for (
      let last = kept.at(-1);
      last !== undefined && last.forms.length <= 2 * forms.length;
      last = kept.at(-1)
    ) {
      forms = [...last.forms.filter((form) => this.#forms.has(form)), ...forms];
      kept.pop();
    }
    // If this fails, nothing has changed, so no search misses a secret.
    kept.push({ forms, automaton: new Automaton(forms) });
    this.#automata = kept;
    this.#newForms.clear();
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
  { prefix: '%', units: /%[0-9a-f]{2}/gi, decode: (unit) => Number.parseInt(unit.slice(1), 16) },
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
  if (secret === '') return [];
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

/**
 * Replaces places in a text. Those that overlap are one, the first of them.
 *
 * @param keep called with the text between them. @default it stays
 */
export function replaceSpans<Place extends Span>(
  text: string,
  spans: readonly Place[],
  replacement: (place: Place, replaced: string) => string,
  keep = (others: string) => others,
): string {
  const places: Place[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = places.at(-1);
    const isInside = last !== undefined && (span.start < last.end || span.start === last.start);
    if (!isInside) places.push(span);
    else if (span.end > last.end) places[places.length - 1] = { ...last, end: span.end };
  }
  let at = 0;
  const pieces = places.map((place) => {
    const { start, end } = place;
    const piece = keep(text.slice(at, start)) + replacement(place, text.slice(start, end));
    at = end;
    return piece;
  });
  return pieces.join('') + keep(text.slice(at));
}
