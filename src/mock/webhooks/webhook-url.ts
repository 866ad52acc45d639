import { REDACTED, type RedactedRequest } from '../redaction/redaction.ts';
import { type Pair, pairsOf } from '../requests/request-target.ts';

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
function urlParts(text: string) {
  if (!isHttpUrl(text)) {
    const base = HARMLESS.test(text) ? text : '[invalid URL]';
    return { base, query: [], search: '', password: undefined };
  }
  const { origin, pathname, searchParams, search, username, password } = new URL(text);
  // A user without a password may be a key.
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
export function partsOfUrl(text: string) {
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
  const pairs = pairsOf(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
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
