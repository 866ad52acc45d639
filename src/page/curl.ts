import type { RequestDetails } from '../mock/journal/entry.ts';

/** What a shell does not take for itself. */
const PLAIN = /^[\w@%+=:,./-]+$/;
/** Control characters but tab and line feed: a terminal would act on them when they are pasted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

/** Stands in a text for the API key, which the page does not know. Nothing else means it. */
export const KEY = '\u{e000}';

/** The shell puts the value of KEY here, or ends with these words if it is not set. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is for the shell
const KEY_WORD = '"${KEY:?set it to your API key}"';

/** Quotes text as one word of a POSIX shell. */
export function quoted(text: string): string {
  if (!text.includes(KEY)) return quotedText(text);
  return text
    .split(KEY)
    .map((part) => part && quotedText(part))
    .join(KEY_WORD);
}

function quotedText(text: string): string {
  if (PLAIN.test(text)) return text;
  return CONTROL.test(text) ? printed(text) : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The word as the output of `printf`, with all that is not plain in octal. The shell removes line
 * feeds at the end of an output, so they stand behind it.
 */
function printed(text: string): string {
  const [, start = '', end = ''] = /^([\s\S]*?)(\n*)$/.exec(text) ?? [];
  const escaped = Array.from(new TextEncoder().encode(start), (byte) => {
    const letter = String.fromCharCode(byte);
    // A dash at the start would be an option of printf.
    return PLAIN.test(letter) && letter !== '-' ? letter : `\\${byte.toString(8).padStart(3, '0')}`;
  });
  const output = `"$(printf '${escaped.join('').replaceAll('%', '%%')}')"`;
  return end === '' ? output : `${output}'${end}'`;
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
export function curlLine(request: CurlRequest): string {
  const { method, url, headers = [], body, options = [] } = request;
  const usual = body === undefined ? 'GET' : 'POST';
  return [
    'curl',
    ...options,
    // curl itself gives a meaning to brackets, and removes dots from paths.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...(/\/\.\.?(\/|$|\?)/.test(url) ? ['--path-as-is'] : []),
    ...(method === 'HEAD' ? ['--head'] : method === usual ? [] : ['-X', quoted(method)]),
    quoted(url),
    // Without a value, curl would remove the header; a semicolon sends it empty.
    ...headers.flatMap(([name, value]) => ['-H', quoted(value ? `${name}: ${value}` : `${name};`)]),
    ...(body === undefined ? [] : [body.startsWith('@') ? '--data-raw' : '-d', quoted(body)]),
  ].join(' ');
}

/** Where the service is, and the certificate to trust. */
export interface ServiceAddress {
  readonly url: string;
  /** The file with the certificate; `null` if there is none. */
  readonly file: string | null;
  /** The origin of the control API. */
  readonly origin: string;
}

const REDACTED = '[redacted]';

/** Headers that curl makes, and those of a connection. */
const OWN_HEADERS = [
  ...['host', 'connection', 'content-length', 'accept-encoding'],
  ...['transfer-encoding', 'expect', 'upgrade'],
];

/** The option with which curl trusts the service. */
export function trustOption({ file, origin }: ServiceAddress): string {
  return file === null ? `--cacert <(curl -s ${origin}/certificate)` : `--cacert ${quoted(file)}`;
}

/** The line that sends a received request again, with `$KEY` in place of what is redacted. */
export function requestCurl(request: RequestDetails, address: ServiceAddress): string {
  const { method, path, query, headers, body } = request;
  return curlLine({
    method: method ?? 'GET',
    url: `${address.url}${encodedPath(path ?? '/')}${queryText(query)}`,
    headers: Object.entries(headers)
      .filter(([name]) => !OWN_HEADERS.includes(name))
      .flatMap(([name, value]) => [value].flat().map((one) => [name, withKey(one)] as const)),
    body: body === '' ? undefined : withKey(body),
    options: [trustOption(address)],
  });
}

function queryText(query: RequestDetails['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encoded(name)}=${one.split(REDACTED).map(encoded).join(KEY)}`),
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** The path in the form of a URL; what is encoded already stays as it is. */
function encodedPath(path: string): string {
  return path.split('/').map(encoded).join('/');
}

/** Text in the form of a URL. Half of a surrogate pair has none, and becomes U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')).replaceAll('%3A', ':');
}

function withKey(text: string): string {
  return text.replaceAll(REDACTED, KEY);
}
