import { REDACTED } from '../redaction/redaction.ts';

type Pair = readonly [name: string, value: string];

/** The parts of a URL, which may be invalid, that may contain secrets. */
export interface UrlParts {
  /** Everything before the query, without user and password. */
  readonly base: string;
  readonly query: readonly Pair[];
  /** Whether it has a user or a password. */
  readonly hasCredentials: boolean;
  /** The password, decoded; empty if there is none. */
  readonly password: string;
}

/** Splits the text of a URL. The fragment, which is never sent, is left out. */
export function urlParts(text: string): UrlParts {
  const [url = ''] = text.split('#');
  const { 0: mark = '', index: at = url.length } = /\?/.exec(url) ?? {};
  const base = url.slice(0, at);
  // Slashes and @ may stand in the password of an invalid URL, so take everything to the last @.
  const [, credentials = ''] = /^[^/]*\/\/(.*)@/.exec(base) ?? [];
  return {
    base: credentials === '' ? base : base.replace(`${credentials}@`, ''),
    query: [...new URLSearchParams(url.slice(at + mark.length))],
    hasCredentials: credentials !== '',
    password: decoded(credentials.replace(/^[^:]*:?/, '')),
  };
}

/**
 * The URL to show: the text itself if it contains no secret.
 *
 * @param base its base without secrets
 * @param query its query without secrets; a repeated name has a list of values
 */
export function shownUrl(
  text: string,
  base: string,
  query: Readonly<Record<string, string | readonly string[]>>,
): string {
  const given = urlParts(text);
  const shown = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): Pair => [name, one]),
  );
  const isSame = ([name, value]: Pair) => [query[name]].flat().includes(value);
  if (!given.hasCredentials && base === given.base && given.query.every(isSame)) {
    return text.split('#')[0] ?? '';
  }
  const start = given.hasCredentials ? base.replace('//', `//${REDACTED}@`) : base;
  const search = shown.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  return search === '' ? start : `${start}?${search}`;
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
