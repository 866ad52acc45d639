import type { Overview } from '../control/schemas.ts';
import type { RequestDetails } from '../mock/journal/entry.ts';
import { isSecretName } from '../mock/redaction/secret-names.ts';
import { pairsOf } from '../mock/requests/request-target.ts';

/** Text that needs no quotes in a shell. */
const PLAIN = /^[\w@%+=:,./-]+$/;
/** Control characters except tab and line feed. A terminal would interpret them when pasted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

export function quoted(text: string): string {
  if (PLAIN.test(text)) return text;
  const escaped = (letter: string) =>
    `'$'\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}''`;
  return `'${text.replaceAll("'", "'\\''").replaceAll(CONTROL, escaped)}'`;
}

interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
  /** The first options, quoted for a shell. */
  readonly options?: readonly string[];
}

export function curlLine({ method, url, headers = [], body, options = [] }: CurlRequest): string {
  const defaultMethod = body === undefined ? 'GET' : 'POST';
  return [
    'curl',
    ...options,
    ...(method === 'HEAD' ? ['--head'] : method === defaultMethod ? [] : ['-X', quoted(method)]),
    quoted(url),
    // Without a value, curl would remove the header; a semicolon sends it empty.
    ...headers.flatMap(([name, value]) => ['-H', quoted(value ? `${name}: ${value}` : `${name};`)]),
    ...(body === undefined ? [] : [body.startsWith('@') ? '--data-raw' : '-d', quoted(body)]),
  ].join(' ');
}

const REDACTED = '[redacted]';

/** The shell inserts the value of KEY, or fails with this message if it is not set. */
const KEY = `'"\${KEY:?set it to your API key}"'`;

/** Redacted text, and the name of its JSON member, its field of a form or query, or its header. */
const REDACTED_FIELD =
  /("(?<member>[\w-]+)"\s*:\s*"|(?<=[?&'])(?<field>[\w-]+)=|-H '(?<header>[\w-]+): (?:\w+ )?)?\[redacted\]/g;

const TOKEN = '[redacted token]';

/** As {@link KEY}, for a token that an operation issued. */
const TOKEN_VALUE = `'"\${TOKEN:?set it to a token of the account}"'`;

/** Headers that curl sets itself, and connection headers. */
const OWN_HEADERS = [
  ...['host', 'connection', 'content-length', 'accept-encoding'],
  ...['transfer-encoding', 'expect', 'upgrade'],
  // The journal has the decoded body.
  'content-encoding',
];

/**
 * A curl command that sends a request to the service, with variables for redacted text: `$KEY` for the
 * key, `$SECURITY_CREDENTIAL` for a member `SecurityCredential`.
 *
 * @param needsToken whether its `Authorization` has a token, instead of a key or besides it
 */
export function requestCurl(
  request: Pick<RequestDetails, 'method' | 'path' | 'query' | 'headers' | 'body'>,
  mock: Pick<Overview, 'url' | 'certificate' | 'key'>,
  needsToken = false,
): string {
  const { method, path, query, body } = request;
  const { file } = mock.certificate;
  const { user, headers: keyHeaders } = mock.key;
  const hasHeader = 'authorization' in request.headers;
  const isBasic = hasHeader && user !== null && !needsToken;
  const own = hasHeader && needsToken ? { authorization: `Bearer ${TOKEN}` } : keyHeaders;
  // The journal redacts a header as a whole, including the scheme before a key.
  const headers = pairsOf(request.headers)
    .filter(([name]) => !OWN_HEADERS.includes(name) && !(isBasic && name === 'authorization'))
    .map(([name, value]) => [name, own[name] ?? inUtf8(name, value)] as const);
  const search = pairsOf(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const line = curlLine({
    method: method ?? 'GET',
    url: `${mock.url}${pathOf(path)}${search.length > 0 ? '?' : ''}${search.join('&')}`,
    headers,
    body: body === '' ? undefined : body,
    options: [
      '--cacert',
      file === null ? `<(curl -s ${location.origin}/certificate)` : quoted(file),
      ...(isBasic ? ['-u', quoted(`${user}:`)] : []),
      ...(DOTS.test(path ?? '') ? ['--path-as-is'] : []),
    ],
  });
  // The redacted text is already between quotes, because of its brackets.
  return line.replaceAll(TOKEN, TOKEN_VALUE).replace(REDACTED_FIELD, (...found) => {
    const { member, field, header } = found.at(-1);
    const name = member ?? field ?? header ?? '';
    const isKey = header === undefined ? name in mock.key.query : name in keyHeaders;
    return `${found[1] ?? ''}${isKey || !isSecretName(name) ? KEY : variableFor(name)}`;
  });
}

function variableFor(name: string): string {
  const words = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '_').replaceAll('-', '_');
  return `'"\${${words.toUpperCase().replace(/^(?=\d)/, '_')}:?set it to ${name}}"'`;
}

/** The journal has the body as text, which curl sends in UTF-8. */
function inUtf8(name: string, value: string): string {
  return name === 'content-type' ? value.replace(/(;\s*charset\s*=\s*)[^;]+/i, '$1utf-8') : value;
}

const DOTS = /\/(\.|%2e){1,2}(\/|$)/i;

/** A path as it was requested. Curl gives brackets and braces a meaning. */
function pathOf(path: string | null): string {
  return (path ?? '/').replace(/\[redacted\]|[^\w%!$&'()*+,;=:@~./-]+/g, encoded);
}

/** Half of a surrogate pair cannot be encoded, and becomes U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'))
    .replaceAll('%3A', ':')
    .replaceAll(encodeURIComponent(REDACTED), REDACTED);
}
