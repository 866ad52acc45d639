import { MIN_LENGTH } from '../redaction/automaton.ts';
import { inAnyEncoding, SecretFinder } from '../redaction/secret-finder.ts';
import { isKeyName, isSecretName } from '../redaction/secret-names.ts';
import {
  HINTS,
  headerKeyHints,
  type KeyHints,
  queryKeyHints,
  type RequestReason,
} from './reason.ts';
import type { RequestHeaders } from './request-headers.ts';
import type { RequestTarget } from './request-target.ts';

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
  readonly hints: KeyHints;
  /** The keys of a request. A valid request has exactly one. */
  readonly keysIn: (query: RequestTarget['query'], headers: RequestHeaders) => readonly string[];
  readonly carry: (key: string) => Partial<KeyParts>;
}

/** Stated: the key is in the query parameter `apikey`. */
const DEFAULT_PLACE = 'query:apikey';

const FORM =
  /^(?:query:(?<query>[^\s=&#+%"']+)|header:(?<header>[\w!#$&'*.^`|~-]+)|bearer|basic|none)$/i;

export function isKeyPlace(text: string): boolean {
  return FORM.test(text);
}

/** Where requests carry their key. A setting changes the place, for another provider's API. */
export class KeyRule {
  /** Whether the key is where the contract states it. */
  readonly isStated: boolean;
  readonly #place: KeyPlace;
  readonly #hints: Readonly<Record<RequestReason, string>>;

  /**
   * @param place a checked value of the setting `KEY_IN`
   * @param firstKey the key of every request if the place is `none`
   */
  constructor(place: string = DEFAULT_PLACE, firstKey = '') {
    this.isStated = place === DEFAULT_PLACE;
    this.#place = keyPlaceOf(place, firstKey);
    this.#hints = { ...HINTS, ...this.#place.hints };
  }

  /**
   * The key of a request, or the reason why it has none that could be valid. Stated: a missing, empty
   * or repeated key is invalid.
   */
  read(
    query: RequestTarget['query'],
    headers: RequestHeaders,
  ): { readonly key?: string; readonly reason: RequestReason } {
    const [key, ...more] = this.#place.keysIn(query, headers);
    if (more.length > 0) return { reason: 'key-repeated' };
    if (key === '') return { reason: 'key-empty' };
    if (key !== undefined) return { key, reason: 'key-unknown' };
    if (query.some(([name]) => this.isKeyName(name))) return { reason: 'key-misspelt' };
    const isInHeader = Object.keys(headers).some(
      (name) => name === 'authorization' || this.isKeyName(name),
    );
    return { reason: isInHeader ? 'key-in-header' : 'key-missing' };
  }

  hint(reason: RequestReason): string {
    return this.#hints[reason];
  }

  carry(key: string): KeyParts {
    return { query: {}, headers: {}, user: null, ...this.#place.carry(key) };
  }

  /** Whether a name looks like the name of the key, possibly misspelled. */
  isKeyName(name: string): boolean {
    return isKeyName(name) || this.#isChosenName(name);
  }

  isSecretName(name: string): boolean {
    return isSecretName(name) || this.#isChosenName(name);
  }

  #isChosenName(name: string): boolean {
    const { name: chosen } = this.#place;
    return chosen !== undefined && lettersOf(name) === lettersOf(chosen);
  }
}

export const DEFAULT_KEY_RULE = new KeyRule();

function keyPlaceOf(text: string, firstKey: string): KeyPlace {
  const { query, header } = FORM.exec(text)?.groups ?? {};
  if (query !== undefined) {
    return {
      ...(text !== DEFAULT_PLACE && { name: query }),
      hints: queryKeyHints(query),
      keysIn: (pairs) => pairs.filter(([name]) => name === query).map(([, value]) => value),
      carry: (key) => ({ query: { [query]: key } }),
    };
  }
  if (header !== undefined) {
    const name = header.toLowerCase();
    return {
      name,
      hints: headerKeyHints(`${header}: <key>`),
      keysIn: (_, headers) => linesOf(headers, name),
      carry: (key) => ({ headers: { [name]: key } }),
    };
  }
  const kind = text.toLowerCase();
  if (kind === 'bearer') {
    return {
      hints: headerKeyHints('Authorization: Bearer <key>'),
      keysIn: (_, headers) => credentialsIn(headers, 'bearer', (token) => token),
      carry: (key) => ({ headers: { authorization: `Bearer ${key}` } }),
    };
  }
  if (kind === 'basic') {
    return {
      hints: headerKeyHints('Authorization: Basic, with <key> as the user name'),
      keysIn: (_, headers) => credentialsIn(headers, 'basic', (base64) => userIn(base64)?.user),
      carry: (key) => ({ user: key }),
    };
  }
  return {
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
function linesOf(headers: RequestHeaders, name: string): string[] {
  const lines = Object.hasOwn(headers, name) ? [headers[name] ?? []].flat() : [];
  return lines.map((line) => Buffer.from(line, 'latin1').toString());
}

/** The keys in `Authorization`. A header with another scheme contains none. */
function credentialsIn(
  headers: RequestHeaders,
  scheme: string,
  keyIn: (credentials: string) => string | undefined,
): string[] {
  const lines = linesOf(headers, 'authorization');
  // With several lines, it is undefined which one counts.
  if (lines.length > 1) return lines;
  return lines.flatMap((line) => {
    const [first = '', ...rest] = line.trim().split(/\s+/);
    if (first === '') return [''];
    return first.toLowerCase() === scheme ? (keyIn(rest.join(' ')) ?? []) : [];
  });
}

/** The user name and the password in the credentials of Basic; `undefined` without a colon. */
export function userIn(base64: string): { user: string; password: string } | undefined {
  const text = Buffer.from(base64, 'base64').toString();
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
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
