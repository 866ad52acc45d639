import { createServer } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { logBug } from '../log/logger.ts';
import { limitConnections } from '../net/capacity.ts';
import { handleClientErrors } from '../net/client-error.ts';
import { Connections, serverTimeouts } from '../net/connections.ts';
import { urlHost } from '../net/host.ts';
import { listen } from '../net/listen.ts';
import { createProxy, isWhole } from './connect-proxy.ts';
import { clientError, rawError } from './control-error.ts';
import type { ControlOptions } from './route.ts';

export type ControlServer = Awaited<ReturnType<typeof startControlServer>>;

/** The control API's share of the connections of this process. */
const SHARE = 0.25;

/** Starts the control API on plain HTTP, so that clients don't have to trust a certificate first. */
export async function startControlServer(options: ControlOptions) {
  const { host, clientTimeout, logger } = options;
  const connections = new Connections();
  // The access check refuses a missing Host header like a wrong one.
  const server = createServer({ requireHostHeader: false, ...serverTimeouts(clientTimeout) });
  const proxy = createProxy(options, connections);
  let app: Promise<FastifyInstance> | undefined;
  connections.track(server, clientTimeout, (request, response) => {
    if (isWhole(request)) return proxy.refuseWhole(request, response);
    // Loading it takes a third of the startup time, so wait for the first request.
    app ??= import('./app.ts').then(({ createControlApp }) => createControlApp(options));
    const errors: Error[] = [];
    const keep = (error: Error) => void errors.push(error);
    request.on('error', keep);
    app
      .then(({ routing }) => {
        routing(request, response);
        request.off('error', keep);
        // The body broke before the application was ready.
        if (request.listenerCount('error') > 0)
          for (const error of errors) request.emit('error', error);
      })
      .catch((error) => {
        logBug(logger, error, 'Failed to respond on the control API: a bug in momo-mock');
        response.destroy();
      });
  });
  handleClientErrors(server, {
    connections,
    respond: (status) => rawError(clientError(status)),
    connect: proxy.connect,
  });
  const setting = { host: 'MOMO_MOCK_CONTROL_HOST', port: 'MOMO_MOCK_CONTROL_PORT' };
  const { servers, port } = await listen({ server, host, port: options.port, setting });
  limitConnections(servers, SHARE, 'control API', (sentence) => logger.warn(sentence));
  return {
    url: `http://${urlHost(host)}:${port}`,
    /** @param deadline when it closes the connections that are still open, in ms */
    close: (deadline: number) => connections.shutDown(servers, deadline),
  };
}
