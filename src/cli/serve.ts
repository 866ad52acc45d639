import { openLogOutput } from '../log-output.ts';
import { createLogger } from '../logger.ts';
import { MockServer } from '../server.ts';
import type { SettingTexts } from '../settings/load.ts';
import { configuredCertificate } from '../tls/configured-certificate.ts';
import { banner, hostElsewhere } from './banner.ts';
import { type Command, type CommandLine, usageError } from './command-line.ts';
import { configure } from './configure.ts';
import { endBy, StopSignal } from './signals.ts';
import { terminalStream } from './terminal-log.ts';
import { keepRunning } from './uncaught.ts';

/** What is said at a start with a store. */
const SHARED =
  'The store remembers accounts, state and journal, also for other processes. Timers run in the process that set them, and are lost with it.';

/** `momo-mock serve`: starts the mock, and stops it on a signal. */
export const serve: Command = {
  usage: 'momo-mock [serve] [flags]',
  about: 'Starts the mock and stops it on SIGINT, SIGTERM or SIGHUP.',
  examples: [
    'momo-mock',
    'momo-mock --port 0 --balance-variant empty',
    'MOMO_MOCK_API_KEYS=test_alice,test_bob=empty momo-mock',
    'printenv MY_KEY | momo-mock --api-keys-file -',
  ],
  options: {
    open: { type: 'boolean', about: 'open the live page in the browser' },
  },
  run: serveUntilSignal,
};

async function serveUntilSignal({ flags, options }: CommandLine): Promise<number> {
  const stop = new StopSignal();
  const isOpened = options.open?.length === 1;
  const { config, output, logger, mock } = await start(flags, isOpened).catch((error) => {
    stop.release();
    throw error;
  });
  const signal = await stop.received;
  const until = performance.now() + config.SHUTDOWN_TIMEOUT;
  logger.info({ signal }, 'stopping');
  await mock.close();
  logger.info('stopped');
  await output.close(until);
  if (output.blocksExit) endBy(signal);
  return 0;
}

async function start(flags: SettingTexts, isOpened: boolean) {
  const { config, warnings } = await configure(flags);
  if (isOpened && config.CONTROL_PORT === 'off') {
    throw usageError('--open needs the control API, which is off. Leave out one of the two.');
  }
  const { stdout } = process;
  const output = await openLogOutput(stdout.fd);
  const stream = stdout.isTTY ? terminalStream(stdout, output) : output;
  const logger = await createLogger({ level: config.LOG_LEVEL, stream, output });
  const mock = await MockServer.start({
    config,
    logger,
    logDropped: () => output.dropped,
    certificate: configuredCertificate(config),
    watch: true,
  });
  keepRunning(mock.reportUncaught);
  const { url, port, controlUrl, certificate } = mock;
  if (stdout.isTTY) {
    output.write(banner(mock, config.isDefaultKey));
  } else if (config.LOG_LEVEL !== 'silent') {
    // Other processes wait for this record, so write it at every level.
    const ready = { url, controlUrl, certificate: certificate.file, port };
    logger.child({}, { level: 'info' }).info(ready, 'ready');
  }
  if (config.STORE_URL !== undefined) {
    const lost = await mock.mock.store.lost();
    logger.info({ store: config.STORE_NAME, lost }, SHARED);
  }
  const elsewhere = hostElsewhere(config.HOST, url);
  for (const text of [...warnings, certificate.warning, elsewhere]) if (text) logger.warn(text);
  if (isOpened && controlUrl !== null) {
    const { openInBrowser } = await import('./browser.ts');
    openInBrowser(controlUrl).catch(() =>
      logger.warn(`Failed to open the browser: none was found. Open ${controlUrl} in one.`),
    );
  }
  return { config, output, logger, mock };
}
