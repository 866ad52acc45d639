import type { Config } from './config/config.ts';
import { type ControlServer, startControlServer } from './control/http-server.ts';
import type { Logger } from './logger.ts';
import type { Controller } from './mock/controller/controller.ts';
import type { Mock } from './mock/mock.ts';
import { overviewOf } from './overview.ts';
import type { HttpsServer } from './service/https-server.ts';
import type { UncaughtErrors } from './service/uncaught-errors.ts';
import { pageFolder, version } from './shipped.ts';
import { timeOfDay } from './timers.ts';
import { type Certificate, isService } from './tls/certificate.ts';
import { TLS_MODES, type TlsMode } from './tls/tls-mode.ts';
import type { TlsSwitch } from './tls/tls-switch.ts';

/** The parts of a mock server that its control API shows and changes. */
export interface ControlParts {
  readonly config: Config;
  readonly logger: Logger;
  /** Returns the number of dropped log lines. */
  readonly logDropped: () => number;
  /** The errors that nobody has caught. */
  readonly uncaught: Pick<UncaughtErrors, 'count'>;
  readonly certificate: Certificate;
  readonly mock: Mock;
  readonly service: HttpsServer;
  readonly controller: Controller;
  readonly tls: TlsSwitch;
  /** Restores the start state of one account, or of everything including TLS. */
  readonly reset: (key?: string) => Promise<void>;
}

/**
 * Starts the control API of a mock server.
 *
 * @returns `undefined` if the configuration turns it off
 * @throws MomoMockError `MOMO_MOCK_PORT_IN_USE`, `MOMO_MOCK_LISTEN_FAILED`
 */
export async function startControl(parts: ControlParts): Promise<ControlServer | undefined> {
  const { config, logger, logDropped, uncaught, certificate, mock, service } = parts;
  const { controller, tls, reset } = parts;
  if (config.CONTROL_PORT === 'off') return undefined;
  const { url } = service;
  const startedAt = new Date(timeOfDay());
  const packageVersion = version();
  const expiresAt = certificate.expiresAt.toISOString();
  const redact = (text: string) => mock.redactor.redact(text);
  return await startControlServer({
    host: config.CONTROL_HOST,
    port: config.CONTROL_PORT,
    clientTimeout: config.CLIENT_TIMEOUT,
    hosts: [config.CONTROL_HOST, ...config.TLS_HOSTS].map((host) => host.toLowerCase()),
    token: config.CONTROL_TOKEN,
    version: packageVersion,
    target: {
      isService: (host, port) => isService(certificate, url, host, port),
      take: (connection) => service.accept(connection),
      redact,
    },
    overview: () =>
      overviewOf({ version: packageVersion, config, certificate, url, startedAt, redact }),
    pageFolder,
    health: () => ({
      ready: true,
      version: packageVersion,
      url,
      certificate: { expiresAt },
      operations: mock.operations.map(({ name }) => name),
      logDropped: logDropped(),
      uncaughtErrors: uncaught.count,
    }),
    certificate: () => certificate.cert,
    controller,
    tls: {
      modes: TLS_MODES,
      mode: () => tls.mode,
      // The control API only passes one of `modes`.
      setMode: (mode) => tls.set(mode as TlsMode),
    },
    reset,
    logger,
  });
}
