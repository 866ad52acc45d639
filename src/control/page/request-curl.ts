import type { RequestDetails } from '../../mock/journal/journal-entry.ts';
import { type CurlRequest, curlLine, KEY, quoted } from './shell.ts';

/** Where the service is, and the certificate to trust. */
export interface ServiceAddress {
  readonly url: string;
  /** The file with the certificate; `null` if there is none. */
  readonly file: string | null;
  /** The origin of the control API. */
  readonly origin: string;
}

const REDACTED = '[redacted]';

/** Headers that curl makes, and that of a connection. */
const OWN_HEADERS = ['host', 'connection', 'content-length', 'accept-encoding'];
const FRAMING = ['transfer-encoding', 'expect', 'upgrade'];

/** The option with which curl trusts the service. */
export function trustOption({ file, origin }: ServiceAddress): string {
  return file === null ? `--cacert <(curl -s ${origin}/certificate)` : `--cacert ${quoted(file)}`;
}

/** The line that sends a received request again, with `$KEY` in place of what is redacted. */
export function requestCurl(request: RequestDetails, address: ServiceAddress): string {
  const { method, path, query, headers, body } = request;
  const left = [...OWN_HEADERS, ...FRAMING];
  const sent: CurlRequest = {
    method: method ?? 'GET',
    url: `${address.url}${encodedPath(path ?? '/')}${queryText(query)}`,
    headers: Object.entries(headers)
      .filter(([name]) => !left.includes(name))
      .flatMap(([name, value]) => [value].flat().map((one) => [name, withKey(one)] as const)),
    body: body === '' ? undefined : withKey(body),
    options: [trustOption(address)],
  };
  return curlLine(sent);
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
