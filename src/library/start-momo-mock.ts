import { closed } from '../errors.ts';
import { openLogOutput } from '../log/log-output.ts';
import { createLogger, SILENT } from '../log/logger.ts';
import type { MomoState } from '../mock/state/state.ts';
import { MockServer } from '../server/mock-server.ts';
import { monotonicTime } from '../timers.ts';
import { certificateHosts, configuredCertificate } from '../tls/configured-certificate.ts';
import { memoryCertificate } from '../tls/memory-certificate.ts';
import { openClient, type Send } from './client.ts';
import type { MomoMock } from './momo-mock.ts';
import { copyStartOptions, type MomoStartOptions, readStartOptions } from './start-options.ts';

/**
 * Starts a mock in this process. By default it uses a free port and a certificate in memory, and
 * has no control API and no output. It reads nothing from the environment and handles no signals.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, `MOMO_MOCK_FIXTURE_INVALID`,
 *   `MOMO_MOCK_CERTIFICATE_UNUSABLE`, `MOMO_MOCK_PORT_IN_USE`, `MOMO_MOCK_LISTEN_FAILED`,
 *   `MOMO_MOCK_REQUEST_INVALID` if a host is already redirected
 */
export async function startMomoMock(options: MomoStartOptions = {}): Promise<MomoMock> {
  const copy = copyStartOptions(options);
  const config = await readStartOptions(copy);
  const { LOG_LEVEL: level } = config;
  // A silent mock does not load pino.
  const output = level === 'silent' ? undefined : await openLogOutput(1);
  const isOnDisk = copy.certsDir !== undefined || copy.tlsCertFile !== undefined;
  const server = await MockServer.start({
    config,
    logger: output === undefined ? SILENT : await createLogger({ level, stream: output, output }),
    certificate: isOnDisk
      ? configuredCertificate(config)
      : memoryCertificate({ hosts: certificateHosts(config) }),
    watch: copy.watch ?? false,
  }).catch(async (error) => {
    await output?.close(monotonicTime() + config.SHUTDOWN_TIMEOUT);
    throw error;
  });
  const { url, controlUrl } = server;
  const { cert, file } = server.certificate;
  const closing = new AbortController();
  const checkOpen = () => {
    if (closing.signal.aborted) throw closed();
  };
  return await openClient({
    url,
    controlUrl,
    apiKey: config.keys[0]?.key ?? '',
    ca: cert,
    caFile: file,
    send: localSend(server, closing.signal, checkOpen),
    stateOf: (apiKey) =>
      localState(() => {
        checkOpen();
        return server.mock.account(apiKey).redactedState;
      }),
    handle: async (operation, handler, apiKey) => {
      checkOpen();
      await server.handle(operation, handler, server.mock.account(apiKey));
    },
    end: async () => {
      closing.abort();
      const until = monotonicTime() + config.SHUTDOWN_TIMEOUT;
      await server.close();
      await output?.close(until);
    },
    redirects: copy,
  });
}

/** Looks up the state for each call, which fails after `close` and if the account does not exist. */
function localState(current: () => MomoState): MomoState {
  return {
    get: async (name) => await current().get(name),
    set: async (name, value) => await current().set(name, value),
    delete: async (name) => await current().delete(name),
    list: async (prefix) => await current().list(prefix),
    update: async (name, change) => await current().update(name, change),
    transaction: async (work) => await current().transaction(work),
  };
}

/** @param signal aborted when the mock closes, which ends the calls */
function localSend(server: MockServer, signal: AbortSignal, checkOpen: () => void): Send {
  return async (name, { apiKey, query, json = '' } = {}) => {
    // Loaded on demand, because most tests only start and close a mock.
    const [{ perform }, { ROUTES }] = await Promise.all([
      import('../control/perform.ts'),
      import('../control/routes.ts'),
    ]);
    checkOpen();
    const call = {
      apiKey,
      params: {},
      query: JSON.parse(JSON.stringify(query ?? {})),
      bytes: Buffer.from(json),
      headers: {},
      signal,
    };
    const result = await perform(ROUTES[name], server, call).finally(checkOpen);
    return JSON.parse(JSON.stringify(result ?? {}));
  };
}
