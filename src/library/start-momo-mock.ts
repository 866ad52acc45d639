import { openLogOutput } from '../log/log-output.ts';
import { createLogger, SILENT } from '../log/logger.ts';
import { MockServer } from '../server/mock-server.ts';
import { monotonicTime } from '../timers.ts';
import { memoryCertificate } from '../tls/certificate.ts';
import { certificateHosts, configuredCertificate } from '../tls/configured-certificate.ts';
import { atCaller } from './caller-stack.ts';
import type { MomoMock } from './momo-mock.ts';
import { openServer } from './open-server.ts';
import {
  copyStartOptions,
  type MomoStartOptions,
  readStartOptions,
  withOptionNames,
} from './start-options.ts';

/**
 * Starts a mock in this process. By default it uses a free port and a certificate in memory, and
 * has no control API and no output. It reads nothing from the environment and handles no signals.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, `MOMO_MOCK_FIXTURE_INVALID`,
 *   `MOMO_MOCK_CERTIFICATE_UNUSABLE`, `MOMO_MOCK_PORT_IN_USE`, `MOMO_MOCK_LISTEN_FAILED`,
 *   `MOMO_MOCK_SNAPSHOT_INVALID`, `MOMO_MOCK_SNAPSHOT_IN_USE`,
 *   `MOMO_MOCK_REQUEST_INVALID` if a host is already redirected
 */
export function startMomoMock(options: MomoStartOptions = {}): Promise<MomoMock> {
  return atCaller(startMomoMock, async () => {
    try {
      return await start(options);
    } catch (error) {
      throw withOptionNames(error);
    }
  });
}

async function start(options: MomoStartOptions): Promise<MomoMock> {
  const copy = copyStartOptions(options);
  const config = await readStartOptions(copy);
  const { LOG_LEVEL: level } = config;
  // A silent mock does not load pino.
  const output = level === 'silent' ? undefined : await openLogOutput(1);
  const isOnDisk = copy.certsDir !== undefined || copy.tlsCertFile !== undefined;
  const logger =
    output === undefined ? SILENT : await createLogger({ level, stream: output, output });
  const server = await MockServer.start({
    config,
    logger,
    certificate: isOnDisk
      ? configuredCertificate(config)
      : memoryCertificate({ hosts: certificateHosts(config) }),
    watch: copy.watch ?? false,
  }).catch(async (error) => {
    await output?.close(monotonicTime() + config.SHUTDOWN_TIMEOUT);
    throw error;
  });
  for (const warning of server.warnings) logger.warn(warning);
  return await openServer(server, config, copy, async () => {
    const until = monotonicTime() + config.SHUTDOWN_TIMEOUT;
    await server.close();
    await output?.close(until);
  });
}
