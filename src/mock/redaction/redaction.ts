import type { Answer } from '../answer.ts';
import { parsedJson } from '../json-of.ts';
import { LONGEST_BODY, MOST_FIELDS, MOST_SEARCHED, MOST_SECRETS } from '../limits.ts';
import { jsonSecrets, looseSecrets } from './body-secrets.ts';
import { formsOf, inAnyEncoding, Keys, placesOf, SHORTEST, type Span } from './secret-finder.ts';
import { isSecretName } from './secret-names.ts';

/** The replacement for a secret. */
export const REDACTED = '[redacted]';

/** The headers of a request, with names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

type Pair = readonly [name: string, value: string];

/** The parts of a request that may contain secrets. */
export interface RequestParts {
  readonly headers: RequestHeaders;
  /** The path with percent escapes decoded. */
  readonly path: string | null;
  /** The operation, such as `GET /momo/balance`. Its words are not secrets. */
  readonly operation: string | null;
  readonly query: readonly Pair[];
  readonly body: string;
  /** Whether the body is only the beginning of the received one. */
  readonly bodyCut: boolean;
}

/** The same parts without secrets. A repeated name has a list of values. */
export interface RedactedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly path: string | null;
  readonly body: string;
}

/** A response as it was decided. A fault may have changed or prevented it. */
export interface ShownResponse {
  readonly status: number;
  /** The headers, with names in lower case. Secrets are `[redacted]`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body as text, its first 65,536 bytes. Secrets are `[redacted]`. */
  readonly body: string;
}

/** How many responses without secrets are kept. */
const MOST_KEPT = 20;

/**
 * Replaces secrets with `[redacted]`, by name and by value. By name: the value of every header,
 * query parameter and body field with the name of a secret. By value: all occurrences of configured
 * keys, and of the values that the same request has under such a name. Texts with fewer than 4
 * characters are too common to search for: such a configured key is only replaced if it is a whole
 * name or value, and such a secret of the request only by name.
 */
export class Redactor {
  readonly #keys = new Keys();
  readonly #responses = new Map<Answer, ShownResponse>();

  /** Adds a configured key. It stays a secret until the process ends, even if it is removed. */
  remember(key: string): void {
    if (this.#keys.add(key)) this.#responses.clear();
  }

  /** Whether a text is or contains a configured key. */
  isSecret(text: string): boolean {
    return this.redact(text) !== text;
  }

  /** Replaces configured keys in a text. */
  redact(text: string): string {
    return hide(text, this.#find(text));
  }

  /**
   * Replaces configured keys in JSON, which is formatted anew then. A number that contains a key
   * becomes a text, and if a key spans several names and values, the whole is replaced.
   */
  redactJson(json: string): string {
    const isFound = this.isSecret(json);
    if (!isFound && !this.#keys.hasShort) return json;
    const value = JSON.parse(json);
    const plain = JSON.stringify(value);
    const shown = JSON.stringify(walked(value, (text) => this.#whole(text)));
    if (this.isSecret(shown) || (isFound && shown === plain)) return JSON.stringify(REDACTED);
    return shown === plain ? json : shown;
  }

  /**
   * Replaces configured keys in a sentence that contains JSON Pointers, in which `/` and `~` are
   * escaped, and quoted names. A key with fewer than 4 characters is replaced if it is a whole
   * name.
   */
  redactPointers(sentence: string): string {
    const withoutNames = (text: string) =>
      this.redact(
        text.replace(/(?<=[/"])[^/\s"]+/g, (name) => (this.#keys.has(name) ? REDACTED : name)),
      );
    const shown = withoutNames(sentence);
    const plain = shown.replaceAll('~1', '/').replaceAll('~0', '~');
    const shownPlain = withoutNames(plain);
    return shownPlain === plain ? shown : shownPlain;
  }

  /**
   * Replaces all secrets in a request. With more than 64 of them no body is shown, with more than
   * 1,000 no value.
   */
  redactRequest(request: RequestParts): RedactedRequest {
    const { headers, path, operation, query, body, bodyCut } = request;
    const lines = Object.entries(headers).flatMap(([name, value = '']) =>
      [value].flat().map((one): Pair => [name, one]),
    );
    const json = parsedJson(body);
    const loose = json === undefined ? looseSecrets(body) : [];
    const secrets = new Set(
      [
        ...lines
          .filter(([name]) => isSecretName(name))
          .flatMap(([, value]) => headerSecrets(value)),
        ...query.filter(([name]) => isSecretName(name)).map(([, value]) => value),
        ...loose.flatMap(({ values }) => values),
        ...(json === undefined ? [] : jsonSecrets(body, json)),
      ]
        .flatMap(withoutScheme)
        .filter((one) => one.length >= SHORTEST && !this.#keys.isKey(one)),
    );
    const forms = [...secrets].flatMap(formsOf);
    const find = (text: string, isCut = false) => this.#find(text, forms, isCut);
    const redact = (text: string) =>
      secrets.size > MOST_SEARCHED ? REDACTED : this.#whole(text, forms);
    const shownBody = () => {
      const shown = json === undefined ? body : JSON.stringify(walked(json, redact, isSecretName));
      const isSame = json !== undefined && shown === JSON.stringify(json);
      const text = isSame ? body : shown;
      const words = json === undefined ? this.#wholes(body) : [];
      return hide(text, [...loose, ...words, ...find(text, bodyCut)]);
    };
    return {
      headers: redactPairs(lines, redact),
      // Beyond the limit they are not shown, but their secrets count.
      query: redactPairs(query.slice(0, MOST_FIELDS), redact),
      path: path && (redact('') || hide(path, inPath(path, operation, find))),
      body: secrets.size > MOST_SECRETS ? REDACTED : shownBody(),
    };
  }

  /** Replaces all secrets in a response. Most requests get one of a few. */
  redactResponse(answer: Answer): ShownResponse {
    const known = this.#responses.get(answer);
    if (known !== undefined) return known;
    const { headers, body } = this.redactRequest({
      headers: answer.headers,
      path: null,
      operation: null,
      query: [],
      body: answer.body.subarray(0, LONGEST_BODY).toString(),
      bodyCut: answer.body.length > LONGEST_BODY,
    });
    if (this.#responses.size >= MOST_KEPT) this.#responses.clear();
    const shown = { status: answer.status, headers, body };
    this.#responses.set(answer, shown);
    return shown;
  }

  /** The places of configured keys in a text, and of the secrets of a request. */
  #find(text: string, forms: readonly string[] = [], isCut = false): Span[] {
    return inAnyEncoding(text, (lower) => [
      ...this.#keys.find(lower, isCut),
      ...placesOf(forms, lower, isCut),
    ]);
  }

  /** A whole name or value without secrets. */
  #whole(text: string, forms: readonly string[] = []): string {
    return this.#keys.has(text) ? REDACTED : hide(text, this.#find(text, forms));
  }

  /** The names and values in a text that are a short configured key. */
  #wholes(text: string): Span[] {
    if (!this.#keys.hasShort) return [];
    return Array.from(text.matchAll(/[^\s"'=&<>:,;{}[\]]+/g), ({ 0: word, index }) => ({
      start: index,
      end: index + (this.#keys.has(word) ? word.length : 0),
    })).filter(({ start, end }) => end > start);
  }
}

/** JSON with other names and values: those under the name of a secret are replaced. */
function walked(
  json: unknown,
  redact: (text: string) => string,
  isSecret: (name: string) => boolean = () => false,
): unknown {
  if (typeof json === 'string') return redact(json);
  if (typeof json === 'number') return redact(`${json}`) === `${json}` ? json : REDACTED;
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map((one) => walked(one, redact, isSecret));
  const entries = Object.entries(json).map(([name, value]) => {
    return [redact(name), isSecret(name) ? REDACTED : walked(value, redact, isSecret)];
  });
  return Object.fromEntries(entries);
}

/** The whole header, each header that Node joined into it, and each value of `a=X; b="Y"`. */
function headerSecrets(value: string): string[] {
  const pieces = value.split(/[,;]/);
  const values = pieces.map((piece) => piece.slice(piece.indexOf('=') + 1).replaceAll('"', ''));
  return [value, ...pieces, ...values];
}

/** For `Bearer X`, both the whole text and `X`. */
function withoutScheme(value: string): string[] {
  const text = value.trim();
  const space = text.search(/\s/);
  return space === -1 ? [text] : [text, text.slice(space).trim()];
}

function redactPairs(pairs: readonly Pair[], redact: (text: string) => string) {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const shownName = redact(name);
    const shown = isSecretName(name) ? REDACTED : redact(value);
    const list = values.get(shownName);
    if (list === undefined) values.set(shownName, [shown]);
    else list.push(shown);
  }
  return Object.fromEntries(
    [...values].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? '') : list]),
  );
}

/** The secrets in a path: inside segments that are not in the operation, or across segments. */
function inPath(path: string, operation: string | null, find: (text: string) => Span[]): Span[] {
  const words = (operation ?? '').toLowerCase().split(/[ /]/);
  let next = 0;
  const inside = path.split('/').flatMap((segment) => {
    const at = next;
    next += segment.length + 1;
    const spans = words.includes(segment.toLowerCase()) ? [] : find(segment);
    return spans.map(({ start, end }) => ({ start: at + start, end: at + end }));
  });
  const over = find(path).filter(({ start, end }) => path.slice(start, end).includes('/'));
  return [...inside, ...over];
}

/** Replaces each span; overlapping spans are replaced as one. */
function hide(text: string, spans: readonly Span[]): string {
  let shown = '';
  let at = 0;
  let last = -1;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start >= at && start > last) {
      shown += text.slice(at, start) + REDACTED;
      last = start;
    }
    at = Math.max(at, end);
  }
  return shown + text.slice(at);
}

/** Matches words and versions. A key or an id rarely looks like one. */
const WORD = /^(?:[a-z._-]{0,24}|v\d{1,3})$/i;

/**
 * An unknown path in the form for the log. Segments that look like words are kept, to show typos.
 * The others become `…`, because they may be keys.
 *
 * @param segments decoded
 * @param isSecret whether a text is or contains a configured key
 */
export function loggablePath(
  segments: readonly string[],
  isSecret: (text: string) => boolean,
): string {
  const isWord = (text: string) => WORD.test(text) && !isSecret(text);
  const path = `/${segments.map((text) => (isWord(text) ? text : '…')).join('/')}`;
  // A key can contain slashes.
  return isSecret(path) ? '/…' : path;
}
