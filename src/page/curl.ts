import type { Overview } from '../control/schemas.ts';
import type { RequestDetails } from '../mock/journal/entry.ts';

/** What a shell does not take for itself. */
const PLAIN = /^[\w@%+=:,./-]+$/;
/** Control characters but tab and line feed: a terminal would act on them when they are pasted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Quotes text as one word of a shell. */
export function quoted(text: string): string {
  if (PLAIN.test(text)) return text;
  const escaped = (letter: string) =>
    `'$'\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}''`;
  return `'${text.replaceAll("'", "'\\''").replaceAll(CONTROL, escaped)}'`;
}

/** What curl sends. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
  /** The options that stand first, as words of the shell. */
  readonly options?: readonly string[];
}

/** The line for a shell that sends a request with curl. */
export function curlLine({ method, url, headers = [], body, options = [] }: CurlRequest): string {
  const usual = body === undefined ? 'GET' : 'POST';
  return [
    'curl',
    ...options,
    ...(method === 'HEAD' ? ['--head'] : method === usual ? [] : ['-X', quoted(method)]),
    quoted(url),
    // Without a value, curl would remove the header; a semicolon sends it empty.
    ...headers.flatMap(([name, value]) => ['-H', quoted(value ? `${name}: ${value}` : `${name};`)]),
    ...(body === undefined ? [] : [body.startsWith('@') ? '--data-raw' : '-d', quoted(body)]),
  ].join(' ');
}

/** Stands for the key in what the mock shows of a request. */
export const REDACTED = '[redacted]';

/** The shell puts the value of KEY here, or ends with these words if it is not set. */
const KEY = `'"\${KEY:?set it to your API key}"'`;

/** Headers that curl makes, and those of a connection. */
const OWN_HEADERS = [
  ...['host', 'connection', 'content-length', 'accept-encoding'],
  ...['transfer-encoding', 'expect', 'upgrade'],
];

/** A request to the service. */
type Sent = Pick<RequestDetails, 'method' | 'path' | 'query' | 'headers' | 'body'>;

/** The line that sends a request to the service, with `$KEY` in place of what is redacted. */
export function requestCurl(request: Sent, mock: Pick<Overview, 'url' | 'certificate'>): string {
  const { method, path, query, headers, body } = request;
  const { file } = mock.certificate;
  const search = pairs(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const line = curlLine({
    method: method ?? 'GET',
    // What is encoded in the path already stays as it is.
    url: `${mock.url}${(path ?? '/').split('/').map(encoded).join('/')}${search.length > 0 ? '?' : ''}${search.join('&')}`,
    headers: pairs(headers).filter(([name]) => !OWN_HEADERS.includes(name)),
    body: body === '' ? undefined : body,
    options: [
      '--cacert',
      file === null ? `<(curl -s ${location.origin}/certificate)` : quoted(file),
    ],
  });
  // It is between quotes, because of its brackets.
  return line.replaceAll(REDACTED, KEY);
}

/** Each name with each of its values. */
export function pairs(fields: RequestDetails['headers']): (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as const),
  );
}

/** Text in the form of a URL. Half of a surrogate pair has none, and becomes U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'))
    .replaceAll('%3A', ':')
    .replaceAll(encodeURIComponent(REDACTED), REDACTED);
}
