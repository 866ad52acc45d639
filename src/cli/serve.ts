import { createLogger } from '../logger.ts';
import { startMockServer } from '../server.ts';
import { configuredCertificate } from '../tls/configured-certificate.ts';
import { banner, hostElsewhere } from './banner.ts';
import type { Command, CommandLine } from './command-line.ts';
import { configure } from './configure.ts';
import { terminalStream } from './terminal-log.ts';

/** `momo-mock serve`: starts the mock, and stops it on a signal. */
export const serve: Command = {
  usage: 'momo-mock [serve] [flags]',
  about: 'Starts the mock and stops it on SIGINT or SIGTERM.',
  examples: [
    'momo-mock',
    'momo-mock --port 0 --balance-variant empty',
    'MOMO_MOCK_API_KEYS=test_alice,test_bob=empty momo-mock',
    'printenv MY_KEY | momo-mock --api-keys-file -',
  ],
  run: serveUntilSignal,
};

async function serveUntilSignal({ flags }: CommandLine): Promise<number> {
  const stop = stopSignal();
  const { config, warnings } = await configure(flags);
  const { stdout } = process;
  const logger = await createLogger({
    level: config.LOG_LEVEL,
    ...(stdout.isTTY && { stream: terminalStream(stdout) }),
  });
  const mock = await startMockServer({
    config,
    logger,
    certificate: configuredCertificate(config),
    watch: true,
  });
  const { url, port, controlUrl, certificate } = mock;
  if (stdout.isTTY) {
    stdout.write(banner(mock, config.isDefaultKey));
  } else if (config.LOG_LEVEL !== 'silent') {
    // Whoever waits for this record must get it at any level.
    const ready = { url, controlUrl, certificate: certificate.file, port };
    logger.child({}, { level: 'info' }).info(ready, 'ready');
  }
  const elsewhere = hostElsewhere(config.HOST, url);
  for (const text of [...warnings, certificate.warning, elsewhere]) if (text) logger.warn(text);
  await stop;
  await mock.close();
  return 0;
}

/** Under npm, one Ctrl-C arrives twice: from the terminal, and from npm, within this time in ms. */
const SAME_SIGNAL = 100;

/**
 * Waits for the first SIGTERM or SIGINT. A second one ends the process immediately, with the exit
 * code that shells give for it. Called before anything else, so that a stop during the start is
 * graceful too.
 */
function stopSignal(): Promise<void> {
  return new Promise((stop) => {
    let first: number | undefined;
    const onSignal = (code: number) => () => {
      if (first !== undefined && performance.now() - first > SAME_SIGNAL) process.exit(code);
      first ??= performance.now();
      stop();
    };
    process.on('SIGINT', onSignal(130));
    process.on('SIGTERM', onSignal(143));
  });
}
