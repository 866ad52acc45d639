import { configuredCertificate } from './certificate.ts';
import type { Config } from './config/load.ts';
import { startControl } from './control/control.ts';
import { Accounts } from './core/accounts.ts';
import { Double } from './core/double.ts';
import type { FixtureTree } from './core/operation.ts';
import { loadFixtureTree } from './fixtures/load.ts';
import type { Logger } from './logger.ts';
import { reloadOnChange } from './reload.ts';
import { startService } from './service/service.ts';
import { shippedFixtures, version } from './shipped.ts';
import type { Certificate } from './tls/certificate.ts';
import { checkVariants } from './variant-check.ts';

/** A running double. */
export interface Mock {
  /** Base URL of the service. */
  readonly url: string;
  readonly port: number;
  /** Base URL of the control API; `null` where it is off. */
  readonly controlUrl: string | null;
  /** The certificate served; its `file` is `null` where it is in memory only. */
  readonly certificate: Certificate;
  /** Graceful shutdown, within the configured time. */
  close(): Promise<void>;
}

/**
 * Puts the double together and starts it: the fixture tree, the certificate, the service, the
 * control API.
 *
 * @throws MomoMockError with the code of what failed
 */
export async function startMock(config: Config, logger: Logger): Promise<Mock> {
  const read = () => readTree(config);
  const [tree, certificate] = await Promise.all([read(), configuredCertificate(config)]);
  const accounts = new Accounts(
    config.keys.map(({ key, variant = config.BALANCE_VARIANT }) => ({ key, variant })),
  );
  const double = new Double({ accounts, tree, strictPaths: config.STRICT_PATHS });
  const service = await startService({
    host: config.HOST,
    port: config.PORT,
    corsOrigin: config.CORS_ORIGIN,
    certificate,
    double,
    logger,
  });
  const { url, port } = service;
  const deadline = config.SHUTDOWN_TIMEOUT;
  const closing = [() => service.close(deadline)];
  const close = async (): Promise<void> => {
    await Promise.all(closing.map((end) => end()));
  };
  let controlUrl: string | null = null;
  if (config.CONTROL_PORT !== 'off') {
    const health = {
      ready: true,
      version: version(),
      url,
      certificate: { expiresAt: certificate.expiresAt.toISOString() },
    } as const;
    try {
      const control = await startControl({
        host: config.CONTROL_HOST,
        port: config.CONTROL_PORT,
        hosts: [config.CONTROL_HOST, ...config.TLS_HOSTS].map((host) => host.toLowerCase()),
        health: () => ({ ...health, operations: double.operations }),
        certificate: () => certificate.cert,
        logger,
      });
      controlUrl = control.url;
      closing.push(() => control.close(deadline));
    } catch (error) {
      await close();
      throw error;
    }
  }
  if (config.FIXTURES_DIR !== undefined) {
    closing.push(reloadOnChange({ dir: config.FIXTURES_DIR, read, double, logger }));
  }
  return { url, port, controlUrl, certificate, close };
}

async function readTree(config: Config): Promise<FixtureTree> {
  const tree = await loadFixtureTree({
    shippedDir: shippedFixtures,
    ...(config.FIXTURES_DIR !== undefined && { userDir: config.FIXTURES_DIR }),
    strictPaths: config.STRICT_PATHS,
  });
  checkVariants(config, tree);
  return tree;
}
