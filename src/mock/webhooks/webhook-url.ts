import { REDACTED, type RedactedRequest, type RequestParts } from '../redaction/redaction.ts';

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

/** The name of a URL's password among the headers. No header can have this name. */
const PASSWORD = 'password of the URL';

/** What redaction searches of a URL. The password is with the headers, so that it is found anywhere. */
export function partsOfUrl(
  text: string,
): Required<Pick<RequestParts, 'headers' | 'path' | 'query'>> {
  const { base, query, password } = urlParts(text);
  return { headers: password === undefined ? {} : { [PASSWORD]: password }, path: base, query };
}

export function withoutPassword({
  [PASSWORD]: _,
  ...headers
}: RedactedRequest['headers']): RedactedRequest['headers'] {
  return headers;
}

/** The URL without user and password, as redaction shows its {@link partsOfUrl}. */
export function redactedUrl(
  text: string,
  { path, query }: Pick<RedactedRequest, 'path' | 'query'>,
): string {
  const parts = urlParts(text);
  const place = path ?? parts.base;
  const start = parts.password === undefined ? place : place.replace('//', `//${REDACTED}@`);
  const isSame = ([name, value]: Pair) => [query[name]].flat().includes(value);
  if (parts.query.every(isSame)) return start + parts.search;
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((text) => `${encoded(name)}=${encoded(text)}`),
  );
  return `${start}?${pairs.join('&')}`;
}

/** Whether a URL is the expected one, which may omit the query, and user and password. */
export function isUrl(sent: string, expected: string): boolean {
  if (!isHttpUrl(sent) || !isHttpUrl(expected)) return sent === expected;
  const [url, other] = [new URL(sent), new URL(expected)];
  // It is never sent.
  url.hash = other.hash = '';
  // An empty query may have its question mark.
  if (other.search === '') url.search = other.search = '';
  if (other.username === '' && other.password === '') url.username = url.password = '';
  return url.href === other.href;
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
