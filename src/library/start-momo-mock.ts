import { Agent } from 'node:https';
import type { Config } from '../config/config.ts';
import { createLogger } from '../logger.ts';
import { jsonBytes } from '../mock/scripted-response.ts';
import { type MockServer, startMockServer } from '../server.ts';
import type { Certificate } from '../tls/certificate.ts';
import { certificateHosts, configuredCertificate } from '../tls/configured-certificate.ts';
import { makeCertificateInMemory } from '../tls/memory-certificate.ts';
import { closed } from './closed.ts';
import type { MomoAccount, MomoMock, MomoScope } from './momo-mock.ts';
import { readStartOptions, type StartOptions } from './start-options.ts';

/**
 * Starts a mock in this process: on a free port, with a certificate in memory, no control API
 * and no output, unless asked. Nothing is read from the environment, no signal is handled.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, `MOMO_MOCK_FIXTURE_INVALID`,
 *   `MOMO_MOCK_CERTIFICATE_UNUSABLE`, `MOMO_MOCK_PORT_IN_USE`, `MOMO_MOCK_LISTEN_FAILED`
 */
export async function startMomoMock(options: StartOptions = {}): Promise<MomoMock> {
  const config = await readStartOptions(options);
  const { LOG_LEVEL: level } = config;
  const mock = await startMockServer({
    config,
    logger: await createLogger({ level }),
    certificate: certificateOf(options, config),
    watch: options.watch ?? false,
  });
  const { url, controlUrl } = mock;
  const ca = mock.certificate.cert;
  const agent = new Agent({ ca, keepAlive: true });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    agent.destroy();
    closing ??= mock.close();
    return closing;
  };
  /** The mock, as long as it is there. */
  const alive = (): MockServer => {
    if (closing !== undefined) throw closed();
    return mock;
  };
  return {
    ...scopeOf(alive, undefined),
    url,
    apikey: config.keys[0]?.key ?? '',
    ca,
    controlUrl,
    agent,
    connect: { ca },
    setTls: async (mode) => await alive().tls.set(mode),
    createAccount: async (account = {}) => {
      const apikey = alive().controller.createAccount(account);
      return accountOf(alive, apikey, { url, ca });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function certificateOf(options: StartOptions, config: Config): Promise<Certificate> {
  const isKept = options.certsDir !== undefined || options.tlsCertFile !== undefined;
  if (isKept) return configuredCertificate(config);
  return makeCertificateInMemory({ hosts: certificateHosts(config) });
}

function scopeOf(alive: () => MockServer, key: string | undefined): MomoScope {
  return {
    setBalance: async (body) => {
      const json = body === undefined ? undefined : jsonBytes(body, 'the balance');
      alive().controller.setBalance(key, json);
    },
    respondWith: async (responses) => alive().controller.script(key, responses, 'append'),
    requests: async (filter = {}) => {
      const found = await alive().controller.requests(key, filter);
      // It may have been closed while this waited.
      alive();
      return found;
    },
    reset: async () => await alive().reset(key),
  };
}

function accountOf(
  alive: () => MockServer,
  apikey: string,
  where: Pick<MomoAccount, 'url' | 'ca'>,
): MomoAccount {
  const remove = async (): Promise<void> => alive().controller.removeAccount(apikey);
  return { ...scopeOf(alive, apikey), apikey, ...where, remove };
}
