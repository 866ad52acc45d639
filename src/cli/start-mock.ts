import type { WriteStream } from 'node:tty';
import { type LogOutput, openLogOutput } from '../log/log-output.ts';
import { createLogger, type Logger } from '../log/logger.ts';
import { MockServer } from '../server/mock-server.ts';
import type { Config } from '../settings/config.ts';
import { configuredCertificate } from '../tls/configured-certificate.ts';
import { defaultFixtures } from './configure.ts';
import type { StopSignals } from './signals.ts';
import { terminalStream } from './terminal-log.ts';

export async function startMock(
  config: Config,
  stream: WriteStream & { readonly fd: number },
  signals: StopSignals,
  { startsClients = false } = {},
) {
  const output = await openLogOutput(stream.fd);
  const logger = await createLogger({
    level: config.LOG_LEVEL,
    stream: stream.isTTY ? terminalStream(stream, output) : output,
    output,
  });
  const certificate = configuredCertificate(config);
  try {
    const findFixtures = fixturesFinder(config, logger);
    const options = { config, logger, certificate, watch: true, startsClients, findFixtures };
    const server = await MockServer.start(options);
    // A mock in a test process leaves uncaught errors to the test runner. Without the second listener,
    // Node would quote the value in an error.
    process.on('uncaughtException', server.reportUncaught);
    process.on('unhandledRejection', server.reportUncaught);
    return { server, logger, output };
  } catch (error) {
    // `run` deletes the folder that the certificate may still be written to.
    await certificate.catch(() => {});
    await closeOutput(output, performance.now() + config.SHUTDOWN_TIMEOUT, signals);
    throw error;
  }
}

/** Finds the folder `fixtures` that a running mock may get. */
function fixturesFinder(config: Config, logger: Logger): () => string | undefined {
  if (config.FIXTURES_DIR !== undefined) return () => undefined;
  // The command itself logs the first one.
  let { warning: known } = defaultFixtures();
  return () => {
    const { dir, isEmpty, warning } = defaultFixtures();
    if (warning !== undefined && warning !== known) logger.warn(warning);
    known = warning ?? known;
    // Until it contains something, it could be for another program.
    return isEmpty ? undefined : dir;
  };
}

/**
 * Writes the rest of the log. If a blocked output would keep the process from exiting, ends the
 * process.
 *
 * @param until when to give up, as a value of `performance.now()`
 * @param signal the signal that ends the process
 */
export async function closeOutput(
  output: LogOutput,
  until: number,
  signals: StopSignals,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  await output.close(until);
  if (output.blocksExit) signals.end(signal);
}
