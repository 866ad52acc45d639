import { createServer, type Server } from 'node:http';
import { bind } from '../listener/bind.ts';
import { Connections } from '../listener/connections.ts';
import { shutDown } from '../listener/shutdown.ts';
import { urlHost } from '../listener/url.ts';
import { type ControlAppOptions, createControlApp } from './app.ts';

/** What the control API needs to listen. */
export interface ControlOptions extends ControlAppOptions {
  readonly host: string;
  readonly port: number;
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

/**
 * Starts the control API on plain HTTP: there is no certificate to trust first.
 *
 * @throws MomoMockError `MOMO_MOCK_PORT_IN_USE`, `MOMO_MOCK_LISTEN_FAILED`
 */
export async function startControl(options: ControlOptions): Promise<Control> {
  const { host } = options;
  const connections = new Connections();
  const app = await createControlApp(options);
  const create = (): Server => {
    const server = createServer(app.routing);
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
