import type { Socket } from 'node:net';
import type { Config } from './config/config.ts';
import { type Control, startControl } from './control/control.ts';
import type { Logger } from './logger.ts';
import type { Controller } from './mock/controller.ts';
import type { Mock } from './mock/mock.ts';
import { version } from './shipped.ts';
import { type Certificate, isNamedBy } from './tls/certificate.ts';
import { TLS_MODES, type TlsMode } from './tls/tls-mode.ts';
import type { TlsSwitch } from './tls/tls-switch.ts';

/** What the control API speaks for. */
export interface ControlParts {
  readonly config: Config;
  readonly logger: Logger;
  /** Base URL of the service. */
  readonly url: string;
  readonly certificate: Certificate;
  readonly mock: Mock;
  readonly controller: Controller;
  readonly tls: TlsSwitch;
  /** Gives the service a connection that came in elsewhere. */
  readonly take: (connection: Socket) => void;
  /** Back to the start: one account, or everything. */
  readonly reset: (key?: string) => Promise<void>;
}

/**
 * Starts the control API that the settings ask for.
 *
 * @returns `undefined` where it is off
 * @throws MomoMockError `MOMO_MOCK_PORT_IN_USE`, `MOMO_MOCK_LISTEN_FAILED`
 */
export async function startConfiguredControl(parts: ControlParts): Promise<Control | undefined> {
  const { config, logger, url, certificate, mock, controller, tls, take, reset } = parts;
  if (config.CONTROL_PORT === 'off') return undefined;
  const health = {
    ready: true,
    version: version(),
    url,
    certificate: { expiresAt: certificate.expiresAt.toISOString() },
  } as const;
  return await startControl({
    host: config.CONTROL_HOST,
    port: config.CONTROL_PORT,
    clientTimeout: config.CLIENT_TIMEOUT,
    hosts: [config.CONTROL_HOST, ...config.TLS_HOSTS].map((host) => host.toLowerCase()),
    token: config.CONTROL_TOKEN,
    target: {
      isService: (host, port) => isService(parts, host, port),
      take,
      redact: (text) => mock.redactor.redact(text),
    },
    health: () => ({ ...health, operations: mock.operations.map(({ name }) => name) }),
    certificate: () => certificate.cert,
    controller,
    tls: {
      modes: TLS_MODES,
      mode: () => tls.mode,
      // It is one of `modes`.
      setMode: (mode) => tls.set(mode as TlsMode),
    },
    reset,
    logger,
    version: version(),
  });
}

/**
 * Whether a host and port stand for the service: its names do with any port, since a base URL may
 * be built in with one, but loopback, where other programs are, at the service's own port alone.
 */
function isService({ certificate, url }: ControlParts, host: string, port: number): boolean {
  const place = isNamedBy(certificate, host);
  return place === 'elsewhere' || (place === 'loopback' && port === Number(new URL(url).port));
}
