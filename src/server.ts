import { startControlServer } from './control/http-server.ts';
import type { Controlled } from './control/route.ts';
import { loadFixtureTree } from './fixtures/load.ts';
import { reloadOnChange } from './fixtures/reload.ts';
import type { Logger } from './logger.ts';
import type { SendCallback } from './mock/callbacks/callbacks.ts';
import type { Handler } from './mock/handler.ts';
import { shownWhole } from './mock/journal/entry.ts';
import { Mock } from './mock/mock.ts';
import { type FixtureTree, type Operation, variantNames } from './mock/operation.ts';
import { type RateLimit, readRateLimit } from './mock/rate-limit.ts';
import { Redactor } from './mock/redaction/redaction.ts';
import { MemoryStore, startAccounts } from './mock/store/memory-store.ts';
import type { Store } from './mock/store/store.ts';
import { overviewOf } from './overview.ts';
import { createServiceApp } from './service/app.ts';
import { handledOperation, sameOperation } from './service/handled-operation.ts';
import { timerErrorLog, UncaughtErrors } from './service/handler-errors.ts';
import { HttpsServer } from './service/https-server.ts';
import { type Config, checkVariants } from './settings/config.ts';
import { pageFolder, programFolder, shippedFixtures, version } from './shipped.ts';
import { timeOfDay } from './timers.ts';
import { type Certificate, isService, watchExpiry } from './tls/certificate.ts';
import { TlsSwitch } from './tls/tls-switch.ts';

/** The options of a mock server. */
export interface MockServerOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Returns the number of dropped log lines. @default () => 0 */
  readonly logDropped?: () => number;
  readonly certificate: Promise<Certificate>;
  /** Whether to serve changes of the user's fixtures without a restart. */
  readonly watch: boolean;
}

/** A running mock server. */
export interface MockServer {
  /** Base URL of the service. */
  readonly url: string;
  readonly port: number;
  /** Base URL of the control API; `null` if it is off. */
  readonly controlUrl: string | null;
  /** The certificate for clients to trust. Its `file` is `null` if it is in memory only. */
  readonly certificate: Certificate;
  /** What tests can show and change. */
  readonly controlled: Controlled;
  /**
   * Lets a function answer an operation, which need not have a file.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  handle(operation: string, handler: Handler): Promise<void>;
  /** Logs and counts an error that nobody has caught. Never throws. */
  readonly reportUncaught: (error: unknown) => void;
  /** Shuts down gracefully, within the configured time. */
  close(): Promise<void>;
}

/**
 * Starts a mock server: reads the fixtures, and starts the service and the control API.
 *
 * @throws MomoMockError with the code of the step that failed
 */
export async function startMockServer(options: MockServerOptions): Promise<MockServer> {
  const { config, logger, logDropped = () => 0, watch } = options;
  const redactor = new Redactor();
  for (const { key } of config.keys) redactor.remember(key);
  const read = () => readTree(config, redactor);
  const certificate = await options.certificate;
  const tree = await read();
  const store = await makeStore(config, redactor);
  const mock = new Mock({
    store,
    variant: config.BALANCE_VARIANT,
    tree,
    journalSize: config.JOURNAL_SIZE,
    journalBytes: config.JOURNAL_BYTES,
    redactor,
    sendCallback: lazySender(config.CALLBACK_HOSTS),
    onTimerError: timerErrorLog(logger, redactor),
    longestTimer: config.CLIENT_TIMEOUT,
  });
  await store.open();
  const uncaught = new UncaughtErrors({
    logger,
    redactor,
    programFolder,
    onError: () => mock.feed.change('health'),
  });
  const service = new HttpsServer({
    credentials: { cert: certificate.chain, key: certificate.key },
    clientTimeout: config.CLIENT_TIMEOUT,
    mock,
    logger,
  });
  /** The operations that only handlers of tests have. */
  const added: Operation[] = [];
  let serving: Promise<void> = Promise.resolve();
  /** Serves a tree with the added operations, one call after the other. */
  const serve = async (other: FixtureTree): Promise<void> => {
    const own = added.filter((one) => sameOperation(other.operations, one) === undefined);
    const whole = { ...other, operations: [...other.operations, ...own] };
    const served = serving.then(() => serveTree(whole, { config, logger, mock, service }));
    serving = served.catch(() => {});
    await served;
  };
  const handle = async (name: string, handler: Handler): Promise<void> => {
    const operation = handledOperation(name, handler);
    const same = sameOperation(mock.operations, operation);
    mock.handlers.set(same?.name ?? operation.name, handler);
    if (same !== undefined) return;
    added.push(operation);
    await serve(mock.tree);
  };
  const listen = async (): Promise<number> => {
    await serve(tree);
    return await service.listen(config.HOST, config.PORT);
  };
  const port = await listen().catch(async (error) => {
    await store.close(0);
    throw error;
  });

  const tls = new TlsSwitch(certificate, (other, mode) =>
    service.setCredentials(other, mode).then(() => mock.feed.change('tls')),
  );
  const startedAt = new Date(timeOfDay());
  const { url } = service;
  const losses = () => ({ logDropped: logDropped(), uncaughtErrors: uncaught.count });
  const controlled: Controlled = {
    mock,
    tls,
    reset: async (key) => {
      await mock.reset(key);
      if (key === undefined) await tls.set('normal');
    },
    health: async () => {
      // Without its store, a mock answers nothing.
      await mock.store.synced();
      return {
        ready: true,
        version: version(),
        url,
        certificate: { expiresAt: certificate.expiresAt.toISOString() },
        operations: mock.operations.map(({ name }) => name),
        ...losses(),
      };
    },
    counts: () => ({ ...losses(), connections: service.connections }),
    overview: () => {
      const redact = (text: string) => redactor.redact(text);
      return overviewOf({ version: version(), config, certificate, url, startedAt, redact });
    },
    hasToken: config.CONTROL_TOKEN !== undefined,
    pem: certificate.cert,
    pageFolder,
  };
  const closing: (() => void | Promise<void>)[] = [
    () => service.close(config.SHUTDOWN_TIMEOUT),
    watchExpiry(certificate, (sentence) => logger.warn(sentence)),
  ];
  const close = async (): Promise<void> => {
    const { pending } = mock.scopes.of(undefined).clock.state;
    mock.close();
    await Promise.all(closing.map((end) => end()));
    await mock.store.close(pending);
  };
  try {
    const control =
      config.CONTROL_PORT === 'off'
        ? undefined
        : await startControlServer({
            host: config.CONTROL_HOST,
            port: config.CONTROL_PORT,
            clientTimeout: config.CLIENT_TIMEOUT,
            hosts: [config.CONTROL_HOST, ...config.TLS_HOSTS].map((host) => host.toLowerCase()),
            token: config.CONTROL_TOKEN,
            target: {
              isService: (host, port) => isService(certificate, url, host, port),
              take: (connection) => service.accept(connection),
            },
            controlled,
            logger,
          });
    if (control !== undefined) closing.push(() => control.close(config.SHUTDOWN_TIMEOUT));
    const dir = watch ? config.FIXTURES_DIR : undefined;
    if (dir !== undefined) closing.push(reloadOnChange({ dir, tree, read, use: serve, logger }));
    const controlUrl = control?.url ?? null;
    const running = { url, port, controlUrl, certificate, controlled };
    return { ...running, handle, reportUncaught: uncaught.report, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The rate limit of the setting. It was checked. */
function rateLimitOf({ RATE_LIMIT }: Config): RateLimit | undefined {
  return RATE_LIMIT === undefined ? undefined : readRateLimit(RATE_LIMIT);
}

/** Makes the store: outside of the process, if one is configured. Only then it is loaded. */
async function makeStore(config: Config, redactor: Redactor): Promise<Store> {
  const { STORE_URL: url, STORE_NAME: name, STORE_TTL: ttl } = config;
  const configured = startAccounts(config.keys, config.BALANCE_VARIANT);
  const rateLimit = rateLimitOf(config);
  if (url === undefined) return new MemoryStore(configured, rateLimit);
  const { RedisStore } = await import('./redis-store/redis-store.ts');
  return new RedisStore({
    url,
    name,
    ttl,
    configured,
    rateLimit,
    hasJournal: config.JOURNAL_SIZE > 0,
    patience: config.CLIENT_TIMEOUT,
    show: (record) => shownWhole(record, redactor),
    onKey: (key) => redactor.remember(key),
  });
}

/** The shared parts of a mock server. */
interface Parts {
  readonly config: Config;
  readonly logger: Logger;
  readonly mock: Mock;
  readonly service: HttpsServer;
}

/** Makes the application for a fixture tree, and uses it for new requests when it is ready. */
async function serveTree(tree: FixtureTree, { config, logger, mock, service }: Parts) {
  const app = await createServiceApp({
    mock,
    tree,
    strictPaths: config.STRICT_PATHS,
    corsOrigin: config.CORS_ORIGIN,
    clientTimeout: config.CLIENT_TIMEOUT,
    logger,
    https: service,
  });
  mock.tree = tree;
  service.serve(app);
  mock.feed.change('fixtures');
}

async function readTree(config: Config, redactor: Redactor): Promise<FixtureTree> {
  const tree = await loadFixtureTree({
    shippedDir: shippedFixtures,
    ...(config.FIXTURES_DIR !== undefined && { userDir: config.FIXTURES_DIR }),
    strictPaths: config.STRICT_PATHS,
    redact: (text) => redactor.redact(text),
  });
  checkVariants(config, variantNames(tree.operations));
  return tree;
}

/** Sends callbacks with what is loaded for the first one. */
function lazySender(hosts: readonly string[]): SendCallback {
  let sender: Promise<SendCallback> | undefined;
  return async (attempt) => {
    sender ??= import('./callback/send-callback.ts').then(({ callbackSender }) =>
      callbackSender(hosts),
    );
    return await (await sender)(attempt);
  };
}
