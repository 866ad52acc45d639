import { MIN_LENGTH } from '../redaction/automaton.ts';
import { inAnyEncoding, SecretFinder } from '../redaction/secret-finder.ts';
import { isKeyName, isSecretName } from '../redaction/secret-names.ts';
import { HINTS, type KeyHints, placeHints, queryKeyHints, type RequestReason } from './reason.ts';
import type { RequestHeaders, RequestTarget } from './request-target.ts';

export interface KeyParts {
  readonly query: Readonly<Record<string, string>>;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The user name of Basic authentication. */
  readonly user: string | null;
}

interface KeyPlace {
  /** The name that the user chose. Values under it are secrets. */
  readonly name?: string;
  /** What a request sends, with `<key>` where the key belongs. */
  readonly line: string;
  /** If it is the only place. @default the hints of places */
  readonly hints?: KeyHints;
  /** The keys of a request. A valid request has exactly one. */
  readonly keysIn: (query: RequestTarget['query'], headers: RequestHeaders) => readonly string[];
  readonly carry: (key: string) => Partial<KeyParts>;
}

const NONE: readonly string[] = [];

/** Stated: the key is in the query parameter `apikey`. */
const DEFAULT_PLACE = 'query:apikey';

const FORM =
  /^(?:query:(?<query>[^\s=&#+%"',]+)|header:(?<header>[\w!#$&'*.^`|~-]+)|bearer|basic|none)$/i;

/** Whether a text is a place, or a comma-separated list of different ones. */
export function isKeyPlace(text: string): boolean {
  const places = text.split(',');
  const isAllowed = (place: string) =>
    FORM.test(place) && (places.length === 1 || !/^(none|header:authorization)$/i.test(place));
  const different = new Set(places.map((place) => place.toLowerCase()));
  return places.every(isAllowed) && different.size === places.length;
}

/** Where requests carry their key. A setting changes the place, for another provider's API. */
export class KeyRule {
  /** Whether the key is where the contract states it. */
  readonly isStated: boolean;
  /** Whether the key can only be in a header. */
  readonly isInHeader: boolean;
  readonly #places: readonly KeyPlace[];
  readonly #keysIn: KeyPlace['keysIn'];
  readonly #hints: Readonly<Partial<Record<RequestReason, string>>>;
  readonly #hasPasswords: boolean;
  /** Whether a list has `bearer`: a token that an operation issued stands for its account's key. */
  readonly acceptsTokens: boolean;
  /** Why no request can carry such a token; `undefined` if it can. */
  readonly tokenProblem: string | undefined;

  /**
   * @param places a checked value of the setting `KEY_IN`
   * @param firstKey the key of every request if the place is `none`
   * @param defaultKey the only key, if none is configured
   */
  constructor(places: string = DEFAULT_PLACE, firstKey = '', defaultKey?: string) {
    this.isStated = places === DEFAULT_PLACE;
    const texts = places.split(',');
    this.isInHeader = texts.every((text) => /^(?:header:|bearer|basic)/i.test(text));
    const isIn = (kind: string) => texts.some((text) => text.toLowerCase() === kind);
    const isList = texts.length > 1;
    this.acceptsTokens = isList && isIn('bearer');
    this.#hasPasswords = isIn('basic');
    const takesHeader = ['bearer', 'basic', 'header:authorization'].some(isIn);
    if (takesHeader && !isList) {
      this.tokenProblem = `the key is in the header of tokens, because MOMO_MOCK_KEY_IN is ${places}. Set it to a list such as basic,bearer, or to another place`;
    }
    this.#places = texts
      .filter((text) => !(this.acceptsTokens && text.toLowerCase() === 'bearer'))
      .map((text) => keyPlaceOf(text, firstKey, defaultKey));
    const [place] = this.#places;
    this.#keysIn =
      place !== undefined && !isList
        ? place.keysIn
        : (query, headers) => this.#places.flatMap(({ keysIn }) => keysIn(query, headers));
    const lines = this.#places.map(({ line }) => line);
    if (this.acceptsTokens) lines.push('the header Authorization: Bearer <token>');
    const hints =
      (isList ? undefined : place?.hints) ?? placeHints(lines.join(', or '), defaultKey);
    this.#hints = { ...HINTS, ...hints };
  }

  /**
   * The key of a request, or the reason why it has none that could be valid. Stated: a missing, empty
   * or repeated key is invalid. `token` is what follows `Bearer`, unless it is the key itself.
   */
  read(query: RequestTarget['query'], headers: RequestHeaders) {
    const keys = this.#keysIn(query, headers);
    const tokens = this.tokenProblem === undefined ? tokensIn(headers) : NONE;
    const given = this.acceptsTokens ? [...keys, ...tokens] : keys;
    // An empty header counts for each scheme.
    const isEmpty = this.acceptsTokens && given.every((text) => text === '');
    if (given.length > 1 && !isEmpty) return { reason: 'key-repeated' };
    if (given[0] === '') return { reason: 'key-empty' };
    const [key] = keys;
    const token = tokens.length === 1 ? tokens[0] : undefined;
    if (given.length === 1)
      return { key, token, reason: key === undefined ? 'token-unknown' : 'key-unknown' };
    if (query.some(([name]) => this.isKeyName(name))) return { reason: 'key-misspelt' };
    const isInHeader = Object.keys(headers).some(
      (name) => name === 'authorization' || isKeyHeader(name) || this.isKeyName(name),
    );
    return { reason: isInHeader ? 'key-in-header' : 'key-missing' };
  }

  hint(reason: RequestReason): string | undefined {
    return this.#hints[reason];
  }

  /**
   * The hint for a client of an API whose key is in a header, while the setting is for the query.
   *
   * @param rawHeaders names and values in turn, as the client wrote them
   */
  placeHint(reason: RequestReason, rawHeaders: readonly string[]): string | undefined {
    if (!this.isStated || reason !== 'key-in-header') return undefined;
    const names = rawHeaders.filter((_, at) => at % 2 === 0);
    const header = names.find((name) => isKeyHeader(name) && /^[a-z-]{1,40}$/i.test(name));
    const at = names.findIndex((name) => /^authorization$/i.test(name));
    const scheme = /^(?:bearer|basic)(?= )/i.exec(rawHeaders[2 * at + 1] ?? '')?.[0];
    const place = header === undefined ? scheme?.toLowerCase() : `header:${header}`;
    if (place === undefined) return undefined;
    const found = header === undefined ? `Authorization: ${scheme}` : header;
    return `The key seems to be in the header ${found}. If the API takes it there, start momo-mock with --key-in ${place} (MOMO_MOCK_KEY_IN, keyIn). Otherwise send ?apikey=<key>.`;
  }

  carry(key: string): KeyParts {
    return { query: {}, headers: {}, user: null, ...this.#places[0]?.carry(key) };
  }

  passwordIn(headers: RequestHeaders): string | undefined {
    const passwordOf = (base64: string) => userIn(base64)?.password;
    return this.#hasPasswords ? credentialsIn(headers, 'basic', passwordOf)[0] : undefined;
  }

  /** Whether a name looks like the name of the key, possibly misspelled. */
  isKeyName(name: string): boolean {
    return isKeyName(name) || this.#isChosenName(name);
  }

  isSecretName(name: string): boolean {
    return isSecretName(name) || this.#isChosenName(name);
  }

  #isChosenName(name: string): boolean {
    return this.#places.some(
      ({ name: chosen }) => chosen !== undefined && lettersOf(name) === lettersOf(chosen),
    );
  }
}

export const DEFAULT_KEY_RULE = new KeyRule();

function keyPlaceOf(text: string, firstKey: string, defaultKey?: string): KeyPlace {
  const { query, header } = FORM.exec(text)?.groups ?? {};
  if (query !== undefined) {
    return {
      ...(text !== DEFAULT_PLACE && { name: query }),
      line: `?${query}=<key> in the query`,
      hints: queryKeyHints(query, defaultKey),
      keysIn: (pairs) => pairs.filter(([name]) => name === query).map(([, value]) => value),
      carry: (key) => ({ query: { [query]: key } }),
    };
  }
  if (header !== undefined) {
    const name = header.toLowerCase();
    return {
      name,
      line: `the header ${header}: <key>`,
      keysIn: (_, headers) => linesOf(headers, name),
      carry: (key) => ({ headers: { [name]: key } }),
    };
  }
  const kind = text.toLowerCase();
  if (kind === 'bearer') {
    return {
      line: 'the header Authorization: Bearer <key>',
      keysIn: (_, headers) => tokensIn(headers),
      carry: (key) => ({ headers: { authorization: `Bearer ${key}` } }),
    };
  }
  if (kind === 'basic') {
    return {
      line: 'the header Authorization: Basic, with <key> as the user name',
      keysIn: (_, headers) => credentialsIn(headers, 'basic', (base64) => userIn(base64)?.user),
      carry: (key) => ({ user: key }),
    };
  }
  return {
    line: '',
    hints: {
      ...queryKeyHints('apikey'),
      'key-unknown':
        'MOMO_MOCK_KEY_IN is none, and the first configured account was removed. Restore it with POST /reset.',
    },
    keysIn: () => [firstKey],
    carry: () => ({}),
  };
}

/** The values of a header, as UTF-8: Node reads headers as latin1. */
function linesOf(headers: RequestHeaders, name: string): readonly string[] {
  if (!Object.hasOwn(headers, name)) return NONE;
  const lines = [headers[name] ?? []].flat();
  return lines.map((line) => Buffer.from(line, 'latin1').toString());
}

/** The keys in `Authorization`. A header with another scheme contains none. */
function credentialsIn(
  headers: RequestHeaders,
  scheme: string,
  keyIn: (credentials: string) => string | undefined,
): readonly string[] {
  const lines = linesOf(headers, 'authorization');
  const [line] = lines;
  // With several lines, it is undefined which one counts.
  if (line === undefined || lines.length > 1) return lines;
  const [first = '', ...rest] = line.trim().split(/\s+/);
  if (first === '') return [''];
  const key = first.toLowerCase() === scheme ? keyIn(rest.join(' ')) : undefined;
  return key === undefined ? NONE : [key];
}

function tokensIn(headers: RequestHeaders): readonly string[] {
  return credentialsIn(headers, 'bearer', (token) => token);
}

/** The user name and the password in the credentials of Basic; `undefined` without a colon. */
export function userIn(base64: string): { user: string; password: string } | undefined {
  const text = Buffer.from(base64, 'base64').toString();
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Whether a header is for a key, such as `X-Api-Key` or `Ocp-Apim-Subscription-Key`. */
function isKeyHeader(name: string): boolean {
  // A browser sends `Sec-WebSocket-Key`.
  return /key$/i.test(name) && isSecretName(name) && !/^sec-/i.test(name);
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '') || name;
}

/** Creates a function that tells whether the value of a header or a parameter contains a key. */
export function keyFinder(key: string): (value: string) => boolean {
  const finder = new SecretFinder();
  if (key.length >= MIN_LENGTH) finder.add(key);
  return (value) => {
    const [, credentials = ''] = value.trim().split(/\s+/);
    return (
      [value, credentials, userIn(credentials)?.user].includes(key) ||
      inAnyEncoding(value, (lower) => finder.find(lower, false)).length > 0
    );
  };
}
