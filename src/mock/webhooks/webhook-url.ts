import { REDACTED } from '../redaction/redaction.ts';

type Pair = readonly [name: string, value: string];

/** The parts of a webhook URL that may contain secrets. */
export interface UrlParts {
  /** It lacks user, password and query. */
  readonly base: string;
  readonly query: readonly Pair[];
  /** The query as sent, with its question mark; empty if there is none. */
  readonly search: string;
  /** The decoded password, or a user without a password. `undefined` if there is neither. */
  readonly password: string | undefined;
}

/** Text without user and password, such as `/hook` or `localhost:80/hook`. */
const HARMLESS = /^(?:[a-z]+:\/\/)?[\w.-]*(?::\d{1,5})?(?:\/[\w./-]*)?$/i;

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/**
 * Splits a webhook URL. It uses `new URL`, because that also finds the password in
 * `http:user:password@host`. Text that is not such a URL is never sent to, and shown only if it is
 * harmless.
 */
export function urlParts(text: string): UrlParts {
  const url = isHttpUrl(text) ? new URL(text) : undefined;
  if (url === undefined) {
    const base = HARMLESS.test(text) ? text : '[invalid URL]';
    return { base, query: [], search: '', password: undefined };
  }
  const { origin, pathname, searchParams, search, username, password } = url;
  const secret = password || username;
  return {
    base: origin + pathname,
    query: [...searchParams],
    search,
    password: secret === '' ? undefined : decoded(secret),
  };
}

/** The URL without user and password, perhaps with another base and a redacted query. */
export function redactedUrl(
  text: string,
  base?: string,
  query?: Readonly<Record<string, string | readonly string[]>>,
): string {
  const parts = urlParts(text);
  const place = base ?? parts.base;
  const start = parts.password === undefined ? place : place.replace('//', `//${REDACTED}@`);
  const isSame = ([name, value]: Pair) => [query?.[name]].flat().includes(value);
  if (query === undefined || parts.query.every(isSame)) return start + parts.search;
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((text) => `${encoded(name)}=${encoded(text)}`),
  );
  return `${start}?${pairs.join('&')}`;
}

/** Whether a redacted URL is the expected one, which may omit the query. */
export function isUrl(url: string, expected: string): boolean {
  const other = redactedUrl(expected);
  return url === other || url.split('?', 1)[0] === other;
}

function encoded(text: string): string {
  const parts = text.split(REDACTED).map((part) => `${new URLSearchParams([['', part]])}`.slice(1));
  return parts.join(REDACTED);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
