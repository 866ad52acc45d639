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
import { INTERNAL, unreadable, whole } from './failure.ts';
import { type Carried, createProxy } from './proxy.ts';

/** What the control API needs to listen. */
export interface ControlOptions extends ControlAppOptions {
  readonly host: string;
  readonly port: number;
  /** How long a client may take to send a request, in ms. */
  readonly clientTimeout: number;
  /** What the proxy is for that it is, too. */
  readonly carried: Carried;
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

/** Its part of the connections that this process can have, which the service cannot take. */
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
  // A host header that is missing is refused like one that is wrong, by the gate.
  const server = createServer(
    { requireHostHeader: false, ...serverTimeouts(clientTimeout) },
    handle,
  );
  server.on('checkExpectation', handle);
  // Who has sent its request and a FIN still waits for the answer, and some take a while.
  Object.assign(server, { httpAllowHalfOpen: true });
  connections.track(server);
  const clientErrors = { connections, respond: unreadable, connect };
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
    // Its body can break before the app is there to hear of it.
    const refuse = () => answerWhole(response, unreadable(400));
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
        answerWhole(response, whole(500, INTERNAL));
      },
    );
  };
}

function answerWhole(response: ServerResponse, { status, headers, body }: RawResponse): void {
  const framing = { 'content-length': body.length, connection: 'close' };
  response.writeHead(status, { ...(headers as OutgoingHttpHeaders), ...framing });
  response.end(body);
}
