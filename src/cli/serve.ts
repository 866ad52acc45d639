import { createLogger } from '../logger.ts';
import { startMockServer } from '../server.ts';
import { configuredCertificate } from '../tls/configured-certificate.ts';
import type { Invocation } from './arguments.ts';
import { banner } from './banner.ts';
import { configure } from './configure.ts';
import { hostElsewhere } from './host-elsewhere.ts';
import { stopSignal } from './stop-signal.ts';
import { terminalStream } from './terminal-log.ts';

/** `momo-mock serve`: starts the mock, and stops it on a signal. */
export async function serve({ flags }: Invocation): Promise<number> {
  const stop = stopSignal();
  const { config, warnings } = await configure(flags);
  const { stdout } = process;
  const logger = await createLogger({
    level: config.LOG_LEVEL,
    ...(stdout.isTTY && { stream: terminalStream(stdout) }),
  });
  const certificateAsked = configuredCertificate(config);
  const mock = await startMockServer({
    config,
    logger,
    certificate: certificateAsked,
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
