import {
  createServer,
  type OutgoingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { describeBug } from '../logger.ts';
import { capacityOf } from '../net/capacity.ts';
import { clientErrorHandler, handleConnect } from '../net/client-error.ts';
import { Connections } from '../net/connections.ts';
import { urlHost } from '../net/host.ts';
import { listen } from '../net/listen.ts';
import type { RawResponse } from '../net/raw-response.ts';
import { shutDown } from '../net/shutdown.ts';
import { serverTimeouts } from '../net/timeouts.ts';
import type { ControlAppOptions } from './app.ts';
import { createProxy, type ProxyTarget } from './connect-proxy.ts';
import { clientError, INTERNAL, rawError } from './control-error.ts';

/** What the control API needs to listen. */
export interface ControlOptions extends ControlAppOptions {
  readonly host: string;
  readonly port: number;
  /** How long a client may take to send a request, in ms. */
  readonly clientTimeout: number;
  /** Where the CONNECT proxy leads. */
  readonly target: ProxyTarget;
}

/** The control API, listening. */
export interface Control {
  /** Its base URL, such as `http://localhost:8480`. */
  readonly url: string;
  /**
   * Graceful shutdown.
   *
   * @param deadline in ms; what is still open then is cut
   */
  close(deadline: number): Promise<void>;
}

/** The share of the connections of this process that is kept for the control API. */
const SHARE = 0.25;

/**
 * Starts the control API on plain HTTP: there is no certificate to trust first.
 *
 * @throws MomoMockError `MOMO_MOCK_PORT_IN_USE`, `MOMO_MOCK_LISTEN_FAILED`
 */
export async function startControl(options: ControlOptions): Promise<Control> {
  const { host, clientTimeout, logger } = options;
  const warn = (sentence: string) => logger.warn(sentence);
  const capacity = capacityOf(SHARE, 'control API', warn);
  const connections = new Connections(capacity, clientTimeout);
  const handle = connections.counting(builtOnDemand(options));
  const connect = createProxy({ ...options, release: (socket) => connections.release(socket) });
  // The access check refuses a missing host header like a wrong one.
  const server = createServer(
    { requireHostHeader: false, ...serverTimeouts(clientTimeout) },
    handle,
  );
  server.on('checkExpectation', handle);
  // A client that has sent its request and a FIN still waits for the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  connections.track(server);
  const clientErrors = {
    connections,
    respond: (status: number) => rawError(clientError(status), status),
    connect,
  };
  server.on('clientError', clientErrorHandler(clientErrors) as never);
  handleConnect(server, clientErrors);
  const setting = { host: 'MOMO_MOCK_CONTROL_HOST', port: 'MOMO_MOCK_CONTROL_PORT' };
  const { servers, port } = await listen({ server, host, port: options.port, setting });
  return {
    url: `http://${urlHost(host)}:${port}`,
    close: (deadline) => shutDown(servers, connections, deadline),
  };
}

/** The app, built when the first request is there, so that a start does not wait for it. */
function builtOnDemand(options: ControlAppOptions): RequestListener {
  let built: Promise<RequestListener> | undefined;
  const build = async (): Promise<RequestListener> => {
    const { createControlApp } = await import('./app.ts');
    return (await createControlApp(options)).routing;
  };
  return (request, response) => {
    built ??= build();
    // Its body can break before the app is there to handle it.
    const refuse = () => sendRaw(response, rawError(clientError(400)));
    request.once('error', refuse);
    built.then(
      (answer) => {
        request.removeListener('error', refuse);
        if (!response.writableEnded) answer(request, response);
      },
      (error: unknown) => {
        // Its modules may be readable the next time.
        built = undefined;
        const { logger } = options;
        logger.error(describeBug(error), 'Failed to build the control API: a bug in momo-mock');
        sendRaw(response, rawError(INTERNAL));
      },
    );
  };
}

function sendRaw(response: ServerResponse, { status, headers, body }: RawResponse): void {
  const framing = { 'content-length': body.length, connection: 'close' };
  response.writeHead(status, { ...(headers as OutgoingHttpHeaders), ...framing });
  response.end(body);
}
