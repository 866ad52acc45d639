import { Agent } from 'node:https';
import { certificateHosts, configuredCertificate } from '../certificate.ts';
import type { Config } from '../config/load.ts';
import { jsonBytes } from '../core/scripted-response.ts';
import { createLogger, NO_LOG } from '../logger.ts';
import { type Mock, startMock } from '../mock.ts';
import { type Certificate, makeCertificateInMemory } from '../tls/certificate.ts';
import { closed } from './closed.ts';
import type { MomoAccount, MomoMock, MomoScope } from './momo-mock.ts';
import { readStartOptions, type StartOptions } from './start-options.ts';

/**
 * Starts a double in this process: on a free port, with a certificate in memory, no control API
 * and no output, unless asked. Nothing is read from the environment, no signal is handled.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, `MOMO_MOCK_FIXTURE_INVALID`,
 *   `MOMO_MOCK_CERTIFICATE_UNUSABLE`, `MOMO_MOCK_PORT_IN_USE`, `MOMO_MOCK_LISTEN_FAILED`
 */
export async function startMomoMock(options: StartOptions = {}): Promise<MomoMock> {
  const config = await readStartOptions(options);
  const { LOG_LEVEL: level } = config;
  const mock = await startMock({
    config,
    logger: level === 'silent' ? NO_LOG : await createLogger({ level }),
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
  /** The double, as long as it is there. */
  const alive = (): Mock => {
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
      const apikey = alive().director.createAccount(account);
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

function scopeOf(alive: () => Mock, key: string | undefined): MomoScope {
  return {
    setBalance: async (body) => {
      const json = body === undefined ? undefined : jsonBytes(body, 'the balance');
      alive().director.setBalance(key, json);
    },
    respondWith: async (responses) => alive().director.script(key, responses, 'append'),
    requests: async (filter = {}) => {
      const found = await alive().director.requests(key, filter);
      // It may have been closed while this waited.
      alive();
      return found;
    },
    reset: async () => await alive().reset(key),
  };
}

function accountOf(
  alive: () => Mock,
  apikey: string,
  where: Pick<MomoAccount, 'url' | 'ca'>,
): MomoAccount {
  const remove = async (): Promise<void> => alive().director.removeAccount(apikey);
  return { ...scopeOf(alive, apikey), apikey, ...where, remove };
}
