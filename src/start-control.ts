import type { Config } from './config/config.ts';
import { type ControlServer, startControlServer } from './control/http-server.ts';
import type { Controlled } from './control/route.ts';
import type { Logger } from './logger.ts';
import type { HttpsServer } from './service/https-server.ts';
import { version } from './shipped.ts';
import { type Certificate, isService } from './tls/certificate.ts';

/** The parts of a mock server that its control API needs. */
export interface ControlParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly certificate: Certificate;
  readonly service: HttpsServer;
  readonly controlled: Controlled;
}

/**
 * Starts the control API of a mock server.
 *
 * @returns `undefined` if the configuration turns it off
 * @throws MomoMockError `MOMO_MOCK_PORT_IN_USE`, `MOMO_MOCK_LISTEN_FAILED`
 */
export async function startControl(parts: ControlParts): Promise<ControlServer | undefined> {
  const { config, logger, certificate, service, controlled } = parts;
  if (config.CONTROL_PORT === 'off') return undefined;
  const { url } = service;
  return await startControlServer({
    host: config.CONTROL_HOST,
    port: config.CONTROL_PORT,
    clientTimeout: config.CLIENT_TIMEOUT,
    hosts: [config.CONTROL_HOST, ...config.TLS_HOSTS].map((host) => host.toLowerCase()),
    token: config.CONTROL_TOKEN,
    version: version(),
    target: {
      isService: (host, port) => isService(certificate, url, host, port),
      take: (connection) => service.accept(connection),
      redact: (text) => controlled.mock.redactor.redact(text),
    },
    controlled,
    logger,
  });
}
