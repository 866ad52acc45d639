import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../logger.ts';
import type { RawResponse } from '../net/raw-response.ts';
import { unreadable, whole } from './failure.ts';
import { refusal } from './refusal.ts';
import { tokenCheck } from './token-check.ts';

/** What the proxy carries, and where to. */
export interface Carried {
  /** Whether a host, in lower case, and a port stand for the service. */
  readonly isService: (host: string, port: number) => boolean;
  /** Gives the service a connection, as if it had come to its own port. */
  readonly take: (connection: Socket) => void;
  /** Takes keys out of a text for the log. */
  readonly redact: (text: string) => string;
}

/** What the proxy needs. */
export interface ProxyOptions {
  readonly carried: Carried;
  /** What a client has to bring, if anything. */
  readonly token?: string | undefined;
  readonly logger: Pick<Logger, 'warn'>;
  /** Told of a connection that the service has from now on. */
  readonly release: (connection: Socket) => void;
}

const REFUSED = refusal(
  'MOMO_MOCK_HOST_REFUSED',
  'Failed to connect: this proxy leads to momo-mock alone, and the host is not on its certificate. Give it by --host or in MOMO_MOCK_TLS_HOSTS if momo-mock stands for it, else take it out of the proxy with NO_PROXY.',
);
const NO_TOKEN = refusal(
  'MOMO_MOCK_TOKEN',
  'Failed to connect: the token is missing or wrong. Give the token of MOMO_MOCK_CONTROL_TOKEN as the password in the URL of the proxy.',
);

/** How many refused hosts are told apart in the log, so that a client's retries are said once. */
const MOST_SAID = 100;
const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

/**
 * Makes the proxy for clients whose base URL is built in (`HTTPS_PROXY`). It answers CONNECT for
 * the names of the certificate and for nothing else. TLS is the client's and the service's: the
 * service gets the very connection, so what it does to one, it does to the client's.
 *
 * @returns takes a CONNECT; gives what to answer where it is refused
 */
export function createProxy({
  carried,
  token,
  logger,
  release,
}: ProxyOptions): (
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
) => RawResponse | undefined {
  const bringsToken = tokenCheck(token);
  const said = new Set<string>();
  const say = (host: string, port: number): void => {
    const text = `${carried.redact(host)}:${port}`;
    if (said.has(text) || said.size === MOST_SAID) return;
    said.add(text);
    logger.warn(
      `Failed to connect a client of the proxy to ${text}: momo-mock does not stand for it, and the proxy leads nowhere else. Give it by --host or in MOMO_MOCK_TLS_HOSTS, or take it out of the proxy with NO_PROXY.`,
    );
  };

  return ({ url = '', headers }, socket, head) => {
    if (!bringsToken(asBearer(headers['proxy-authorization']))) {
      const { headers: shape, ...rest } = whole(407, NO_TOKEN);
      return { ...rest, headers: { ...shape, 'proxy-authenticate': 'Basic realm="momo-mock"' } };
    }
    const [, host = '', digits = ''] = AUTHORITY.exec(url.toLowerCase()) ?? [];
    const port = Number(digits);
    if (host === '' || port > 65535) return unreadable(400);
    if (!carried.isService(host, port)) {
      say(host, port);
      return whole(403, REFUSED);
    }
    release(socket);
    socket.write(ESTABLISHED);
    if (head.length > 0) socket.unshift(head);
    carried.take(socket);
    return undefined;
  };
}

/** A host name or an address, and a port: not all that HTTP lets through, but all that is logged. */
const AUTHORITY = /^((?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?|\[[0-9a-f:.]+\]):(\d{1,5})$/;

/** Clients make `Basic` of what stands before the host in the URL of a proxy. */
function asBearer(header: string | undefined): string | undefined {
  const coded = /^basic +([\w+/=-]+)$/i.exec(header ?? '')?.[1];
  if (coded === undefined) return header;
  const pair = Buffer.from(coded, 'base64').toString('latin1');
  return `Bearer ${pair.slice(pair.indexOf(':') + 1)}`;
}
