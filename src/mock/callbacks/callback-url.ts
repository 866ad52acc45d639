import { REDACTED } from '../redaction/redaction.ts';

type Pair = readonly [name: string, value: string];

/** The parts of the URL of a callback that may contain secrets. */
export interface UrlParts {
  /** Everything before the query, without user and password. */
  readonly base: string;
  readonly query: readonly Pair[];
  /** The query as it is sent, with its question mark; empty if there is none. */
  readonly search: string;
  /** The password, or a user without one, decoded. `undefined` if there is neither. */
  readonly password: string | undefined;
}

/** Text that contains no user and no password, such as `/hook` or `localhost:80/hook`. */
const HARMLESS = /^(?:[a-z]+:\/\/)?[\w.-]*(?::\d{1,5})?(?:\/[\w./-]*)?$/i;

/**
 * The parts of the URL that a callback is sent to: what `new URL` makes of the text, because it also
 * finds a password in `http:user:password@host`. Text that is no such URL is not sent, and not shown
 * either, unless it is harmless.
 */
export function urlParts(text: string): UrlParts {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
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

/**
 * The URL to show.
 *
 * @param base its base. @default as it is sent, apart from user and password
 * @param query its query without secrets; a repeated name has a list of values. @default as it is sent
 */
export function shownUrl(
  text: string,
  base?: string,
  query?: Readonly<Record<string, string | readonly string[]>>,
): string {
  const parts = urlParts(text);
  const shown = base ?? parts.base;
  const start = parts.password === undefined ? shown : shown.replace('//', `//${REDACTED}@`);
  const isSame = ([name, value]: Pair) => [query?.[name]].flat().includes(value);
  if (query === undefined || parts.query.every(isSame)) return start + parts.search;
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encoded(name)}=${encoded(one)}`),
  );
  return `${start}?${pairs.join('&')}`;
}

/** Whether a URL, in the form to show, is the expected one, which may have no query. */
export function isUrl(shown: string, expected: string): boolean {
  const other = shownUrl(expected);
  return shown === other || shown.split('?', 1)[0] === other;
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
