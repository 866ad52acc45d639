import { invalid } from '../../errors.ts';
import { formsOfNumber, isNumber, parseExact, writeJson } from '../json/exact-json.ts';
import { parsedJson } from '../json/json-of.ts';
import { MAX_FIELDS, MAX_KEY_CHARACTERS, MAX_SEARCHED_SECRETS, MAX_SECRETS } from '../limits.ts';
import { DEFAULT_KEY_RULE, type KeyRule, userIn } from '../requests/key-rule.ts';
import { fieldsOf, type Pair, pairsOf, type RequestHeaders } from '../requests/request-target.ts';
import { MIN_LENGTH, type Span } from './automaton.ts';
import { type IsSecretName, jsonSecrets, looseSecrets } from './body-secrets.ts';
import { inAnyEncoding, keyWords, replaceSpans, SecretFinder } from './secret-finder.ts';
import { TOKENS } from './token-text.ts';

export const REDACTED = '[redacted]';

/** A word or a version. A key or an id rarely looks like one. */
const WORD = /^(?:[a-z._-]{0,24}|v\d{1,3})$/i;

export interface RequestParts {
  readonly headers: RequestHeaders;
  /** The path is as requested. */
  readonly path?: string | null;
  /** Its words are not secrets. */
  readonly operation?: string | null;
  readonly query?: readonly Pair[];
  readonly body: string;
  /** Whether `body` is only the beginning of the received one. */
  readonly bodyCut?: boolean;
  /** JSON besides the body that is shown with it, such as a hint. The secrets in it also count. */
  readonly also?: unknown;
}

/** A repeated name has a list of values. */
export interface RedactedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly path: string | null;
  readonly body: string;
  readonly also?: unknown;
}

/**
 * Replaces secrets with `[redacted]`, by name and by value. By name: the value of every header, query
 * parameter and body field with a secret name. By value: configured keys, tokens, and the values under
 * secret names in the same request, wherever they occur. Texts with fewer than 4 characters are too common to
 * search for: such a key is replaced only as a whole name or value, and such a value only by name.
 */
export class Redactor {
  readonly #keys = new SecretFinder();
  /** They read what may contain keys. */
  readonly #readings = new Set<Promise<unknown>>();
  /** For headers and parameters. */
  readonly #isSecretName: IsSecretName;
  /** For members and fields of bodies. */
  readonly #isSecretMember: IsSecretName;

  /** @param notSecret names of members of bodies that only look like a secret's */
  constructor(rule: KeyRule = DEFAULT_KEY_RULE, notSecret: readonly string[] = []) {
    this.#isSecretName = (name) => rule.isSecretName(name);
    this.#isSecretMember = (name) => rule.isSecretName(name) && !notSecret.includes(name);
  }

  /** @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if all keys become too long */
  remember(key: string): void {
    this.#keys.add(key);
    if (this.#keys.characters <= MAX_KEY_CHARACTERS) return;
    this.#keys.remove(key);
    const most = MAX_KEY_CHARACTERS.toLocaleString('en');
    const advice = 'Remove accounts, or reset the mock';
    throw invalid('the key', `all keys and secrets can have at most ${most} characters. ${advice}`);
  }

  /** The key stays a secret if it was remembered more often than forgotten. */
  forget(key: string): void {
    const remove = () => this.#keys.remove(key);
    if (this.#readings.size === 0) remove();
    else void Promise.allSettled(this.#readings).then(remove);
  }

  /** Until a function has read records, in several turns, it finds the keys that are in them. */
  async during<Result>(read: () => Promise<Result>): Promise<Result> {
    const reading = read();
    this.#readings.add(reading);
    return await reading.finally(() => this.#readings.delete(reading));
  }

  /** What it keeps to find keys, for tests. */
  get size(): { readonly characters: number; readonly nodes: number } {
    return this.#keys;
  }

  isSecret(text: string): boolean {
    return this.redact(text) !== text;
  }

  redact(text: string): string {
    return redactSpans(text, this.#find(text));
  }

  /**
   * Replaces configured keys in JSON, and reformats it if it contains one. A number that contains a
   * key becomes a text, as do true, false and null. If a key spans several names and values, all of
   * the JSON is replaced.
   */
  redactJson(json: string): string {
    const hasKey = this.isSecret(json);
    if (!hasKey && !this.#keys.hasShort) return json;
    const value = parseExact(json);
    const plain = writeJson(value);
    const redacted = writeJson(redactedJson(value, (text) => this.#redactWhole(text)));
    const isKeyLeft = this.isSecret(redacted) || (hasKey && redacted === plain);
    if (isKeyLeft) return JSON.stringify(REDACTED);
    return redacted === plain ? json : redacted;
  }

  /**
   * Replaces configured keys in a sentence with quoted names and JSON Pointers, which escape `/` and
   * `~`. A key with fewer than 4 characters is replaced if it is a whole name.
   */
  redactPointers(sentence: string): string {
    const unescaped = (text: string) => text.replaceAll('~1', '/').replaceAll('~0', '~');
    const isKey = (name: string) => this.#keys.has(name) || this.#keys.has(unescaped(name));
    const redacted = this.redact(
      sentence.replace(/(?<=[/"])[^/\s"]+/g, (name) => (isKey(name) ? REDACTED : name)),
    );
    const plain = unescaped(redacted);
    const redactedPlain = this.redact(plain);
    return redactedPlain === plain ? redacted : redactedPlain;
  }

  /**
   * An unknown path for the log. Keeps segments that look like words, to show typos. The others
   * become `…`, because they may be keys.
   *
   * @param segments decoded
   */
  loggablePath(segments: readonly string[]): string {
    const isWord = (text: string) => WORD.test(text) && !this.isSecret(text);
    const path = `/${segments.map((text) => (isWord(text) ? text : '…')).join('/')}`;
    // A key can contain slashes.
    return this.isSecret(path) ? '/…' : path;
  }

  /**
   * With more than 64 secrets, it replaces the whole body; with more than 1,000, every value.
   *
   * @param others requests whose secrets also count
   */
  redactRequest(request: RequestParts, others: readonly RequestParts[] = []): RedactedRequest {
    const { headers, path = null, operation = null, query = [], body, bodyCut, also } = request;
    const lines = pairsOf(headers);
    const isSecretName = this.#isSecretName;
    const found = this.#secretsIn(request);
    const { json, textSecrets } = found;
    const secrets = new Set(
      [found, ...others.map((other) => this.#secretsIn(other))]
        .flatMap(({ values }) => values)
        .flatMap(withoutScheme)
        .filter((secret) => secret.length >= MIN_LENGTH && !this.#keys.has(secret)),
    );
    const finder = new SecretFinder();
    for (const secret of secrets) finder.add(secret);
    const find = (text: string, isCut = false) => this.#find(text, finder, isCut);
    const isTooMany = secrets.size > MAX_SEARCHED_SECRETS;
    const redact = (text: string) => (isTooMany ? REDACTED : this.#redactWhole(text, finder));
    const redactedPath = (path: string) => {
      const secretsIn = (text: string) => secretsInPath(text, operation, find);
      const redacted = redactSpans(path, secretsIn(path));
      // A secret may be percent-encoded twice.
      const isTwice =
        redacted.includes('%25') && secretsIn(redacted.replaceAll('%25', '%')).length > 0;
      return isTooMany || isTwice ? REDACTED : redacted;
    };
    const redactedBody = () => {
      if (json === undefined) {
        return redactSpans(body, [
          ...textSecrets,
          ...this.#shortKeys(body),
          ...find(body, bodyCut),
        ]);
      }
      const redacted = writeJson(redactedJson(json, redact, this.#isSecretMember));
      // Without a secret, the body keeps its format.
      const text = redacted === writeJson(json) ? body : redacted;
      return redactSpans(text, find(text, bodyCut));
    };
    const redactPair = ([name, value]: Pair): Pair => [
      redact(name),
      isSecretName(name) ? REDACTED : redact(value),
    ];
    return {
      headers: fieldsOf(lines.map(redactPair)),
      // The secrets of fields beyond the limit also count.
      query: fieldsOf(query.slice(0, MAX_FIELDS).map(redactPair)),
      path: path && redactedPath(path),
      body: secrets.size > MAX_SECRETS ? REDACTED : redactedBody(),
      ...(also !== undefined && { also: redactedJson(also, redact, isSecretName) }),
    };
  }

  /** The values under secret names in a request, and its body as JSON or as the text around them. */
  #secretsIn({ headers, query = [], body, also }: RequestParts) {
    const isSecretName = this.#isSecretName;
    const isSecretMember = this.#isSecretMember;
    const json = parsedJson(body, parseExact);
    const textSecrets = json === undefined ? looseSecrets(body, isSecretMember) : [];
    const values = [
      ...pairsOf(headers)
        .filter(([name]) => isSecretName(name))
        .flatMap(([, value]) => headerSecrets(value)),
      ...query.filter(([name]) => isSecretName(name)).map(([, value]) => value),
      ...textSecrets.flatMap(({ values }) => values),
      ...(json === undefined ? [] : jsonSecrets(body, json, isSecretMember)),
      ...(also === undefined ? [] : jsonSecrets('', also, isSecretName)),
    ];
    return { json, textSecrets, values };
  }

  /** @param others the secrets of a request */
  #find(text: string, others?: SecretFinder, isCut = false): Span[] {
    return inAnyEncoding(text, (lower) => [
      ...this.#keys.find(lower, isCut),
      ...(others?.find(lower, isCut) ?? []),
      ...keyWords(lower, TOKENS, () => true),
    ]);
  }

  /** A whole name or value may be a short configured key. */
  #redactWhole(text: string, others?: SecretFinder): string {
    return this.#keys.has(text) ? REDACTED : redactSpans(text, this.#find(text, others));
  }

  #shortKeys(text: string): Span[] {
    if (!this.#keys.hasShort) return [];
    return keyWords(text, /[^\s"'=&<>:,;{}[\]]+/g, (word) => this.#keys.has(word));
  }
}

function redactedJson(
  json: unknown,
  redact: (text: string) => string,
  isSecret: IsSecretName = () => false,
): unknown {
  if (typeof json === 'string') return redact(json);
  if (isNumber(json))
    return formsOfNumber(json).some((text) => redact(text) !== text) ? REDACTED : json;
  if (typeof json !== 'object' || json === null)
    return redact(`${json}`) === `${json}` ? json : REDACTED;
  if (Array.isArray(json)) return json.map((item) => redactedJson(item, redact, isSecret));
  const entries = Object.entries(json).map(([name, value]) => {
    return [redact(name), isSecret(name) ? REDACTED : redactedJson(value, redact, isSecret)];
  });
  return Object.fromEntries(entries);
}

/** The whole header, each header that Node joined into it, and each value in `a=X; b="Y"`. */
function headerSecrets(value: string): string[] {
  const pieces = value.split(/[,;]/);
  const values = pieces.map((piece) => piece.slice(piece.indexOf('=') + 1).replaceAll('"', ''));
  return [value, ...pieces, ...values];
}

/** For `Bearer X`, both the whole text and `X`; for `Basic X`, also the user name and the password. */
function withoutScheme(value: string): string[] {
  const text = value.trim();
  const space = text.search(/\s/);
  if (space === -1) return [text];
  const credentials = text.slice(space).trim();
  const { user = '', password = '' } = (/^basic\s/i.test(text) && userIn(credentials)) || {};
  return [text, credentials, user, password];
}

/** Secrets in segments that are not words of the operation, and secrets across segments. */
function secretsInPath(
  path: string,
  operation: string | null,
  find: (text: string) => Span[],
): Span[] {
  const words = (operation ?? '').toLowerCase().split(/[ /]/);
  let next = 0;
  const inside = path.split('/').flatMap((segment) => {
    const at = next;
    next += segment.length + 1;
    const spans = words.includes(segment.toLowerCase()) ? [] : find(segment);
    return spans.map(({ start, end }) => ({ start: at + start, end: at + end }));
  });
  const across = find(path).filter(({ start, end }) => path.slice(start, end).includes('/'));
  return [...inside, ...across];
}

function redactSpans(text: string, spans: readonly Span[]): string {
  return replaceSpans(text, spans, () => REDACTED);
}
