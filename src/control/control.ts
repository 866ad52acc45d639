import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { bind } from '../listener/bind.ts';
import { capacityOf } from '../listener/capacity.ts';
import { Connections } from '../listener/connections.ts';
import { requestLimits } from '../listener/limits.ts';
import { shutDown } from '../listener/shutdown.ts';
import { urlHost } from '../listener/url.ts';
import { describeBug, type Logger } from '../logger.ts';
import type { ControlAppOptions } from './app.ts';

/** What the control API needs to listen. */
export interface ControlOptions extends ControlAppOptions {
  readonly host: string;
  readonly port: number;
  /** How long a client may take to send a request, in ms. */
  readonly clientTimeout: number;
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
  const capacity = await capacityOf(SHARE, 'control API', warn);
  const connections = new Connections(capacity);
  const handle = builtOnDemand(options);
  const create = (): Server => {
    const server = createServer(
      { keepAliveTimeout: KEEP_ALIVE, ...requestLimits(clientTimeout) },
      handle,
    );
    // Who has sent its request and a FIN still waits for the answer, and some take a while.
    Object.assign(server, { httpAllowHalfOpen: true });
    connections.follow(server);
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
    built.then(
      (answer) => answer(request, response),
      (error: unknown) => {
        // Its modules may be readable the next time.
        built = undefined;
        answerBug(error, response, options.logger);
      },
    );
  };
}

function answerBug(error: unknown, response: ServerResponse, logger: Logger): void {
  logger.error(describeBug(error), 'Failed to build the control API: a bug in momo-mock');
  const message = 'Failed to answer: a bug in momo-mock. Look at its log.';
  response.writeHead(500, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ error: { code: 'MOMO_MOCK_INTERNAL', message } }));
}
