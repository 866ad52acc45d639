import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../logger.ts';
import type { RawResponse } from '../net/raw-response.ts';
import { ControlError, clientError, rawError } from './control-error.ts';
import { createTokenCheck } from './plugins/access-check.ts';

/** Which connections the proxy lets through, and where they go. */
export interface ProxyTarget {
  /** Whether a host, in lower case, and a port stand for the service. */
  readonly isService: (host: string, port: number) => boolean;
  /** Gives the service a connection, as if it had come to the port of the service. */
  readonly take: (connection: Socket) => void;
  /** Redacts keys in a text for the log. */
  readonly redact: (text: string) => string;
}

/** What the proxy needs. */
export interface ProxyOptions {
  readonly target: ProxyTarget;
  /** The token that a client must send, if any. */
  readonly token?: string | undefined;
  readonly logger: Pick<Logger, 'warn'>;
  /** Called with a connection that the service has from now on. */
  readonly release: (connection: Socket) => void;
}

const HOST_REFUSED = new ControlError(
  'MOMO_MOCK_HOST_REFUSED',
  'Failed to connect: this proxy leads to momo-mock alone, and the host is not on its certificate. Give it by --host or in MOMO_MOCK_TLS_HOSTS if momo-mock stands for it, else take it out of the proxy with NO_PROXY.',
);
const NO_TOKEN = new ControlError(
  'MOMO_MOCK_TOKEN',
  'Failed to connect: the token is missing or wrong. Give the token of MOMO_MOCK_CONTROL_TOKEN as the password in the URL of the proxy.',
  { 'proxy-authenticate': 'Basic realm="momo-mock"' },
);

/** How many refused hosts are logged, each once: clients try again. */
const MOST_LOGGED = 100;
const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

/**
 * Makes the proxy for clients whose base URL is built in (`HTTPS_PROXY`). It answers CONNECT for
 * the names of the certificate and for nothing else. TLS is the client's and the service's: the
 * service gets the very connection, so what it does to one, it does to the client's.
 *
 * @returns handles a CONNECT; gives the response where it is refused
 */
export function createProxy({
  target,
  token,
  logger,
  release,
}: ProxyOptions): (
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
) => RawResponse | undefined {
  const hasToken = createTokenCheck(token);
  const logged = new Set<string>();
  const warn = (host: string, port: number): void => {
    const text = `${target.redact(host)}:${port}`;
    if (logged.has(text) || logged.size === MOST_LOGGED) return;
    logged.add(text);
    logger.warn(
      `Failed to connect a client of the proxy to ${text}: momo-mock does not stand for it, and the proxy leads nowhere else. Give it by --host or in MOMO_MOCK_TLS_HOSTS, or take it out of the proxy with NO_PROXY.`,
    );
  };

  return ({ url = '', headers }, socket, head) => {
    if (!hasToken(asBearer(headers['proxy-authorization']))) return rawError(NO_TOKEN, 407);
    const [, host = '', digits = ''] = AUTHORITY.exec(url.toLowerCase()) ?? [];
    const port = Number(digits);
    if (host === '' || port > 65535) return rawError(clientError(400));
    if (!target.isService(host, port)) {
      warn(host, port);
      return rawError(HOST_REFUSED);
    }
    release(socket);
    socket.write(ESTABLISHED);
    if (head.length > 0) socket.unshift(head);
    target.take(socket);
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
