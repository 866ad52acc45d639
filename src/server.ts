import type { Config } from './config/load.ts';
import { startConfiguredControl } from './configured-control.ts';
import { loadFixtureTree } from './fixtures/load.ts';
import type { Logger } from './logger.ts';
import { Controller } from './mock/controller.ts';
import { Mock } from './mock/mock.ts';
import type { FixtureTree } from './mock/operation.ts';
import { reloadOnChange } from './reload.ts';
import { startService } from './service/service.ts';
import { shippedFixtures } from './shipped.ts';
import { type Certificate, watchExpiry } from './tls/certificate.ts';
import { TlsSwitch } from './tls-switch.ts';
import { checkVariants } from './variant-check.ts';

/** What a mock is started with. */
export interface MockServerOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly certificate: Promise<Certificate>;
  /** Whether changes of the user's fixture tree are served without a restart. */
  readonly watch: boolean;
}

/** A running mock. */
export interface MockServer {
  /** Base URL of the service. */
  readonly url: string;
  readonly port: number;
  /** Base URL of the control API; `null` where it is off. */
  readonly controlUrl: string | null;
  /** The certificate that clients trust; its `file` is `null` where it is in memory only. */
  readonly certificate: Certificate;
  readonly controller: Controller;
  readonly tls: TlsSwitch;
  /** Back to the start: one account, or everything, TLS too. */
  reset(key?: string): Promise<void>;
  /** Graceful shutdown, within the configured time. */
  close(): Promise<void>;
}

/**
 * Puts the mock together and starts it: the fixture tree, the service, the control API.
 *
 * @throws MomoMockError with the code of what failed
 */
export async function startMockServer(options: MockServerOptions): Promise<MockServer> {
  const { config, logger } = options;
  const read = () => readTree(config);
  const [tree, certificate] = await Promise.all([read(), options.certificate]);
  const { STRICT_PATHS: strictPaths, JOURNAL_SIZE: journalSize, BALANCE_VARIANT } = config;
  const mock = new Mock({
    keys: config.keys,
    variant: BALANCE_VARIANT,
    tree,
    strictPaths,
    journalSize,
  });
  const service = await startService({
    host: config.HOST,
    port: config.PORT,
    corsOrigin: config.CORS_ORIGIN,
    credentials: { cert: certificate.chain, key: certificate.key },
    clientTimeout: config.CLIENT_TIMEOUT,
    mock,
    logger,
  });
  const { url, port } = service;
  const controller = new Controller(mock, BALANCE_VARIANT);
  const tls = new TlsSwitch(service, certificate);
  const { take } = service;
  const parts = { config, logger, url, certificate, mock, controller, tls, take };
  const reset = async (key?: string): Promise<void> => {
    controller.reset(key);
    if (key === undefined) await tls.set('normal');
  };
  const deadline = config.SHUTDOWN_TIMEOUT;
  const closing: (() => void | Promise<void>)[] = [
    () => service.close(deadline),
    watchExpiry(certificate, (sentence) => logger.warn(sentence)),
  ];
  const close = async (): Promise<void> => {
    mock.journal.close();
    await Promise.all(closing.map((end) => end()));
  };
  try {
    const control = await startConfiguredControl({ ...parts, reset });
    if (control !== undefined) closing.push(() => control.close(deadline));
    const dir = options.watch ? config.FIXTURES_DIR : undefined;
    if (dir !== undefined) closing.push(reloadOnChange({ dir, read, mock, logger }));
    return {
      url,
      port,
      controlUrl: control?.url ?? null,
      certificate,
      controller,
      tls,
      reset,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
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
