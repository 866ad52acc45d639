import {
  createServer,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { describeBug } from '../logger.ts';
import { bind } from '../net/bind.ts';
import { capacityOf } from '../net/capacity.ts';
import { Connections } from '../net/connections.ts';
import type { LastAnswer } from '../net/last-answer.ts';
import { requestLimits } from '../net/limits.ts';
import { shutDown } from '../net/shutdown.ts';
import { answerUnreadable } from '../net/unreadable.ts';
import { urlHost } from '../net/url.ts';
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

/** In ms. Longer than clients keep idle connections, so that they close and not the API. */
const KEEP_ALIVE = 75_000;
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
  const connections = new Connections(capacity);
  const handle = builtOnDemand(options);
  const connect = createProxy({ ...options, release: (socket) => connections.release(socket) });
  const create = (): Server => {
    const server = createServer(
      // The access check refuses a missing host header like a wrong one.
      {
        keepAliveTimeout: KEEP_ALIVE,
        requireHostHeader: false,
        ...requestLimits(clientTimeout),
      },
      handle,
    );
    server.on('checkExpectation', handle);
    // A client that has sent its request and a FIN still waits for the response.
    Object.assign(server, { httpAllowHalfOpen: true });
    connections.follow(server);
    answerUnreadable(server, {
      connections,
      refuse: (status) => rawError(clientError(status), status),
      connect,
    });
    return server;
  };
  const setting = { host: 'MOMO_MOCK_CONTROL_HOST', port: 'MOMO_MOCK_CONTROL_PORT' };
  const { servers, port } = await bind({ host, port: options.port, setting, create });
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

function sendRaw(response: ServerResponse, { status, headers, body }: LastAnswer): void {
  const framing = { 'content-length': body.length, connection: 'close' };
  response.writeHead(status, { ...(headers as OutgoingHttpHeaders), ...framing });
  response.end(body);
}
