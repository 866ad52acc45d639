import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from '../net/connections.ts';
import type { RawResponse } from '../net/raw-response.ts';
import { createTokenCheck } from './access.ts';
import { ControlError, clientError, rawError } from './control-error.ts';
import type { ControlOptions } from './route.ts';

const NOT_SERVED =
  "only forwards to momo-mock, which does not serve this host and port. If it should, add the host to MOMO_MOCK_TLS_HOSTS. Otherwise, add the host to the client's NO_PROXY";
const HOST_REFUSED = new ControlError(
  'MOMO_MOCK_HOST_REFUSED',
  `Failed to connect: this proxy ${NOT_SERVED}.`,
);
const NO_TOKEN = new ControlError(
  'MOMO_MOCK_TOKEN',
  'Access denied: the token is missing or wrong. Use the value of MOMO_MOCK_CONTROL_TOKEN as the password in the proxy URL.',
  { 'proxy-authenticate': 'Basic realm="momo-mock"' },
  407,
);
const NOT_CONNECT = new ControlError(
  'MOMO_MOCK_REQUEST_INVALID',
  'Failed to forward the request: the client sent the proxy an https:// URL instead of CONNECT, so there is no TLS. Run a Node client with momo-mock run --redirect HOST, or add an entry for the host to /etc/hosts.',
);

/** Each warning is logged once, although clients retry. */
const MAX_WARNINGS = 100;
const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

/**
 * Creates the proxy for clients with a built-in base URL, which use it through `HTTPS_PROXY`. It
 * accepts only CONNECT for names on the certificate, and hands the raw connection to the service.
 * TLS runs between client and service, and faults affect the client's own connection.
 */
export function createProxy(options: ControlOptions, connections: Connections) {
  const { server, token, logger } = options;
  const { redactor, counters } = server.mock;
  const hasToken = createTokenCheck(token);
  const warnings = new Set<string>();
  const refuse = (error: ControlError): RawResponse => {
    counters.refusedByProxy++;
    return rawError(error);
  };
  const warn = (host: string, port: number, cause: string): void => {
    const client = `a client of the proxy to ${host}:${port}`;
    const warning = redactor.redact(`Failed to connect ${client}: ${cause}.`);
    if (warnings.has(warning) || warnings.size === MAX_WARNINGS) return;
    warnings.add(warning);
    logger.warn(warning);
  };

  return {
    connect(
      { url = '', headers }: IncomingMessage,
      socket: Socket,
      head: Buffer,
    ): RawResponse | undefined {
      if (!hasToken(asBearer(headers['proxy-authorization']))) return refuse(NO_TOKEN);
      const [, host = '', digits = ''] = AUTHORITY.exec(url.toLowerCase()) ?? [];
      const port = Number(digits);
      if (host === '' || port > 65535) return rawError(clientError(400));
      if (!options.isService(host, port)) {
        warn(host, port, `the proxy ${NOT_SERVED}`);
        return refuse(HOST_REFUSED);
      }
      connections.handOver(socket);
      socket.write(ESTABLISHED);
      if (head.length > 0) socket.unshift(head);
      options.connectToService(socket);
      return undefined;
    },

    /**
     * Refuses a request for an `https://` URL. Some clients (axios 0.27 and needle) send it to the
     * proxy as a whole instead of CONNECT.
     */
    refuseWhole(request: IncomingMessage, response: ServerResponse): void {
      const [, host = '', digits = '443'] = WHOLE.exec(request.url?.toLowerCase() ?? '') ?? [];
      const cause = `it sent the proxy a whole request instead of CONNECT. Run a Node client with momo-mock run --redirect ${host}, or add an entry for the host to /etc/hosts`;
      if (AUTHORITY.test(`${host}:${digits}`)) warn(host, Number(digits), cause);
      const { status, headers, body } = refuse(NOT_CONNECT);
      response.writeHead(status, { ...headers, connection: 'close' }).end(body);
    },
  };
}

export function isWhole({ url = '' }: IncomingMessage): boolean {
  return /^https:/i.test(url);
}

const WHOLE = /^https:\/\/([^/?#:@[\]]+|\[[^\]]*\])(?::(\d{1,5}))?(?:[/?#]|$)/;

/** A host name or IP address, and a port. HTTP allows other text, but only this form is logged. */
const AUTHORITY = /^((?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?|\[[0-9a-f:.]+\]):(\d{1,5})$/;

/** Clients send the password of a proxy URL, which is the token, in a `Basic` header. */
function asBearer(header: string | undefined): string | undefined {
  const coded = /^basic +([\w+/=-]+)$/i.exec(header ?? '')?.[1];
  if (coded === undefined) return header;
  const pair = Buffer.from(coded, 'base64').toString('latin1');
  return `Bearer ${pair.slice(pair.indexOf(':') + 1)}`;
}
