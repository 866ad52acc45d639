import { type ControlServer, startControlServer } from '../control/http-server.ts';
import type { ControlledServer } from '../control/route.ts';
import type { Health, Overview } from '../control/schemas.ts';
import { loadFixtureTree } from '../fixtures/load.ts';
import { reloadOnChange } from '../fixtures/reload.ts';
import { type Stamps, stampsOf } from '../fixtures/stamps.ts';
import { type Logger, logFailedAttempt } from '../log/logger.ts';
import type { Account } from '../mock/account/account.ts';
import { readRateLimit } from '../mock/account/rate-limit.ts';
import { exampleOf } from '../mock/contract.ts';
import { Mock } from '../mock/mock.ts';
import type { MomoHandler } from '../mock/operations/handler.ts';
import { type FixtureTree, variantNames } from '../mock/operations/operation.ts';
import { REDACTED, Redactor } from '../mock/redaction/redaction.ts';
import { rememberSecrets } from '../mock/webhooks/signing.ts';
import { createServiceApp } from '../service/app.ts';
import { handledOperation } from '../service/handled-operation.ts';
import { timerErrorLog, uncaughtErrorLog } from '../service/handler-errors.ts';
import { HttpsServer } from '../service/https-server.ts';
import { DEFAULT_KEY } from '../settings/api-keys.ts';
import { type Config, checkVariants, keyRuleOf, settingsIn } from '../settings/config.ts';
import { programFolder, version } from '../shipped/folders.ts';
import { fixtureLayers, presetOf } from '../shipped/presets.ts';
import { timeOfDay } from '../timers.ts';
import { type Certificate, isService } from '../tls/certificate.ts';
import { namesOf } from '../tls/names.ts';
import { type TlsSwitch, tlsSwitch } from '../tls/tls-switch.ts';
import { watchExpiry } from '../tls/validity.ts';
import type { SnapshotFile } from './snapshot-file.ts';

const EMPTY =
  'The service has no operations: MOMO_MOCK_BASE is none, and there is no fixture file of an operation. Add one, such as fixtures/pay.post.json for POST /pay.';

export interface MockServerOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly certificate: Promise<Certificate>;
  /** Whether to reload the user's fixtures when they change. */
  readonly watch: boolean;
  /** Whether this process starts the clients, as `run` and `drill` do. @default false */
  readonly startsClients?: boolean;
  /** Finds the user's fixture folder if the configuration has none. It may be created later. */
  readonly findFixtures?: () => string | undefined;
}

/** The service and the control API over one mock. */
export class MockServer implements ControlledServer {
  readonly mock: Mock;
  readonly tls: TlsSwitch;
  readonly certificate: Certificate;
  /** Logs and counts an uncaught error. Never throws. */
  readonly reportUncaught: (error: unknown) => void;
  readonly #options: MockServerOptions;
  readonly #service: HttpsServer;
  #uncaughtErrors = 0;
  readonly #startedAt = new Date(timeOfDay());
  #port = 0;
  #control: ControlServer | undefined;
  #endReload: (() => Promise<void>) | undefined;
  readonly #endExpiry: () => void;
  #snapshotFile: SnapshotFile | undefined;

  static async start(options: MockServerOptions): Promise<MockServer> {
    const { config } = options;
    const certificate = await options.certificate;
    const layers = fixtureLayers(config, config.FIXTURES_DIR);
    // Before the tree is read, so that the watch sees a change in between.
    const stamps = options.watch ? await stampsOf(layers) : undefined;
    const server = new MockServer(options, certificate, await createMock(options, layers));
    try {
      await server.#openSnapshotFile();
      await server.#listen();
      if (stamps !== undefined) server.#watchFixtures(stamps);
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  private constructor(options: MockServerOptions, certificate: Certificate, mock: Mock) {
    const { config, logger } = options;
    const { feed, redactor } = mock;
    this.#options = options;
    this.certificate = certificate;
    this.mock = mock;
    const logUncaught = uncaughtErrorLog(logger, redactor, programFolder);
    this.reportUncaught = (error) => {
      this.#uncaughtErrors++;
      feed.change('health');
      logUncaught(error);
    };
    this.#service = new HttpsServer({
      identity: { cert: certificate.chain, key: certificate.key },
      clientTimeout: config.CLIENT_TIMEOUT,
      startsClients: options.startsClients ?? false,
      mock,
      logger,
    });
    this.tls = tlsSwitch(certificate, (identity, mode) =>
      this.#service.setIdentity(identity, mode).then(() => feed.change('tls')),
    );
    this.#endExpiry = watchExpiry(certificate, (sentence) => logger.warn(sentence));
  }

  get url(): string {
    return this.#service.url;
  }

  /** Lines for the log, after the ready record. */
  get warnings(): readonly string[] {
    const isEmpty = this.mock.tree.operations.length === 0;
    return [...(isEmpty ? [EMPTY] : []), ...(this.#snapshotFile?.warnings ?? [])];
  }

  get port(): number {
    return this.#port;
  }

  /** It is `null` if the control API is off. */
  get controlUrl(): string | null {
    return this.#control?.url ?? null;
  }

  get hasToken(): boolean {
    return this.#options.config.CONTROL_TOKEN !== undefined;
  }

  async #listen(): Promise<void> {
    const { config, logger } = this.#options;
    await this.#serve(this.mock.tree);
    this.#port = await this.#service.listen(config.HOST, config.PORT);
    if (config.CONTROL_PORT !== 'off') {
      this.#control = await startControlServer({
        host: config.CONTROL_HOST,
        port: config.CONTROL_PORT,
        clientTimeout: config.CLIENT_TIMEOUT,
        hosts: [config.CONTROL_HOST, ...config.TLS_HOSTS].map((host) => host.toLowerCase()),
        token: config.CONTROL_TOKEN,
        isService: (host, port) => isService(this.certificate, this.url, host, port),
        connectToService: (connection) => this.#service.accept(connection),
        server: this,
        logger,
      });
    }
  }

  async #openSnapshotFile(): Promise<void> {
    const { config, logger } = this.#options;
    if (config.SNAPSHOT_FILE === undefined) return;
    const { SnapshotFile } = await import('./snapshot-file.ts');
    this.#snapshotFile = await SnapshotFile.open(config.SNAPSHOT_FILE, this.mock, logger);
  }

  #watchFixtures(stamps: Stamps): void {
    const { config, logger, findFixtures } = this.#options;
    let found = config.FIXTURES_DIR;
    if (found === undefined && findFixtures === undefined) return;
    const dir = () => (found ??= findFixtures?.());
    const layers = () => fixtureLayers(config, found);
    const read = () => readTree(layers(), config, this.mock.redactor);
    const use = (tree: FixtureTree) => this.#serve(tree);
    this.#endReload = reloadOnChange({ dir, layers, stamps, read, use, logger });
  }

  async #serve(tree: FixtureTree): Promise<void> {
    const { config, logger } = this.#options;
    const app = await createServiceApp({
      mock: this.mock,
      tree,
      corsOrigin: config.CORS_ORIGIN,
      clientTimeout: config.CLIENT_TIMEOUT,
      logger,
      connections: this.#service.connections,
    });
    this.mock.tree = tree;
    this.#service.serve(app);
    this.mock.feed.change('fixtures');
  }

  /** Handles an operation of an account with a function. The operation does not need a file. */
  handle(name: string, handler: MomoHandler, account = this.mock.all): void {
    this.mock.handle(handledOperation(name, handler, this.mock.tree.strictPaths), account);
  }

  async reset(account: Account): Promise<void> {
    const isOfAll = account === this.mock.all;
    this.mock.reset(account);
    if (isOfAll) await this.tls.set('normal');
  }

  async restore(account: Account, snapshot: unknown): Promise<readonly string[]> {
    const { restore } = await import('../mock/account/restore.ts');
    const { leftOut, dropped } = restore(this.mock, account, snapshot);
    for (const line of dropped) this.#options.logger.warn(line);
    return leftOut;
  }

  health(): Health {
    return {
      ready: true,
      version: version(),
      url: this.url,
      certificate: { expiresAt: this.certificate.expiresAt.toISOString() },
      operations: this.mock.operations.map(({ name }) => name),
      openOperations: this.mock.operations.filter(({ isOpen }) => isOpen).map(({ name }) => name),
      uncaughtErrors: this.#uncaughtErrors,
    };
  }

  counts() {
    return { uncaughtErrors: this.#uncaughtErrors, connections: this.#service.connections.count };
  }

  /** A request that succeeds with a valid key, such as `GET /momo/balance`, if there is one. */
  get example(): string | undefined {
    const { PRESET } = this.#options.config;
    const given = PRESET === undefined ? undefined : presetOf(PRESET).example;
    return given ?? exampleOf(this.mock.operations.map(({ name }) => name));
  }

  overview(): Overview {
    const { leaf, file, expiresAt } = this.certificate;
    const { isDefaultKey } = this.#options.config;
    return {
      version: version(),
      startedAt: this.#startedAt.toISOString(),
      url: this.url,
      certificate: {
        expiresAt: expiresAt.toISOString(),
        names: namesOf(leaf),
        file,
      },
      key: this.mock.keyRule.carry(isDefaultKey ? DEFAULT_KEY : REDACTED),
      example: this.example ?? null,
      settings: settingsIn(this.#options.config, this.mock.redactor),
    };
  }

  /** Shuts down gracefully, within the configured time. */
  async close(): Promise<void> {
    const { SHUTDOWN_TIMEOUT: timeout } = this.#options.config;
    this.#endExpiry();
    this.mock.close();
    try {
      await Promise.all([
        this.#service.close(timeout),
        this.#control?.close(timeout),
        this.#endReload?.(),
      ]);
    } finally {
      await this.#snapshotFile?.close();
    }
  }
}

async function createMock(
  { config, logger }: MockServerOptions,
  layers: readonly string[],
): Promise<Mock> {
  const keyRule = keyRuleOf(config);
  const redactor = new Redactor(keyRule, config.NOT_SECRET);
  for (const { key } of config.keys) redactor.remember(key);
  const tree = await readTree(layers, config, redactor);
  return new Mock({
    configured: config.keys.map((entry) => ({
      ...entry,
      variant: entry.variant ?? config.VARIANT,
    })),
    rateLimit: config.RATE_LIMIT === undefined ? undefined : readRateLimit(config.RATE_LIMIT),
    variant: config.VARIANT,
    tree,
    journalSize: config.JOURNAL_SIZE,
    journalBytes: config.JOURNAL_BYTES,
    keyRule,
    redactor,
    sendWebhook: async (attempt) => {
      const { webhookSender } = await import('../webhook/send-webhook.ts');
      return await webhookSender(config.WEBHOOK_HOSTS)(attempt);
    },
    onFailedAttempt: (failed) => logFailedAttempt(logger, failed),
    onTimerError: timerErrorLog(logger, redactor),
    maxTimerMs: config.CLIENT_TIMEOUT,
  });
}

async function readTree(
  layers: readonly string[],
  config: Config,
  redactor: Redactor,
): Promise<FixtureTree> {
  const tree = await loadFixtureTree({
    layers,
    strictPaths: config.STRICT_PATHS,
    needsCode: keyRuleOf(config).isStated,
    redact: (text) => redactor.redact(text),
  });
  checkVariants(config, variantNames(tree.operations));
  const fixtures = tree.operations.flatMap((each) => [each.default, ...each.variants.values()]);
  for (const fixture of fixtures)
    if ('script' in fixture) rememberSecrets(fixture.script.webhooks, redactor);
  return tree;
}
