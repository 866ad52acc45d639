import { banner, hostElsewhere } from './banner.ts';
import { type Command, type CommandLine, inFlags, isOn, usageError } from './command-line.ts';
import { configure } from './configure.ts';
import { StopSignals } from './signals.ts';
import { closeOutput, startMock } from './start-mock.ts';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'open',
  win32: 'explorer',
};

export const serve: Command = {
  usage: 'momo-mock [serve] [flags]',
  about: 'Starts the mock and stops it on SIGINT, SIGTERM or SIGHUP.',
  examples: [
    'momo-mock',
    'momo-mock --port 0 --variant empty',
    'MOMO_MOCK_API_KEYS=test_alice,test_bob=empty momo-mock',
    'printenv MY_KEY | momo-mock --api-keys-file -',
  ],
  options: {
    open: { about: 'open the live page in the browser' },
  },
  run: serveUntilSignal,
};

async function serveUntilSignal(line: CommandLine): Promise<number> {
  const signals = new StopSignals();
  const { config, output, logger, server } = await start(line, signals).catch((error) => {
    signals.release();
    throw error;
  });
  const signal = await signals.received;
  const until = performance.now() + config.SHUTDOWN_TIMEOUT;
  logger.info({ signal }, 'stopping');
  await server.close();
  logger.info('stopped');
  await closeOutput(output, until, signals, signal);
  return 0;
}

async function start(line: CommandLine, signals: StopSignals) {
  const { config, warning, keyWarning } = await configure(line.flags);
  const isOpened = isOn(line, 'open');
  if (isOpened && config.CONTROL_PORT === 'off') {
    throw usageError('--open needs the control API, which is off. Leave out one of the two.');
  }
  const { stdout } = process;
  const { server, logger, output } = await startMock(config, stdout, signals);
  const { url, port, controlUrl, certificate } = server;
  if (stdout.isTTY) {
    output.write(banner(server, config, warning !== undefined));
  } else if (config.LOG_LEVEL !== 'silent') {
    // Other processes wait for this record, so write it at every level.
    const ready = { url, controlUrl, certificate: certificate.file, port };
    logger.child({}, { level: 'info' }).info(ready, 'ready');
  }
  const elsewhere = hostElsewhere(config.HOST, url);
  const warnings = [warning, keyWarning, certificate.warning, elsewhere, ...server.warnings];
  for (const text of warnings) if (text) logger.warn(inFlags(text, line.flags));
  if (isOpened && controlUrl !== null) {
    const { spawn } = await import('node:child_process');
    // The library `open` supports more systems. But its source is not ASCII, which would double the
    // memory for the bundle and slow down startup.
    const opener = OPENERS[process.platform] ?? 'xdg-open';
    // The browser outlives the mock, and does not write to its output. Process lists show the URL.
    const browser = spawn(opener, [controlUrl], { detached: true, stdio: 'ignore' });
    browser.unref();
    browser.on('error', () =>
      logger.warn(`Failed to open the browser: no browser was found. Open ${controlUrl} in one.`),
    );
  }
  return { config, output, logger, server };
}
