import { Agent } from 'node:https';
import { certificateHosts, configuredCertificate } from '../certificate.ts';
import type { Config } from '../config/load.ts';
import { jsonBytes } from '../core/scripted-response.ts';
import { createLogger, NO_LOG } from '../logger.ts';
import { type Mock, startMock } from '../mock.ts';
import { type Certificate, makeCertificateInMemory } from '../tls/certificate.ts';
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
  const close = async (): Promise<void> => {
    agent.destroy();
    await mock.close();
  };
  return {
    ...scopeOf(mock, undefined),
    url,
    apikey: config.keys[0]?.key ?? '',
    ca,
    controlUrl,
    agent,
    connect: { ca },
    setTls: (mode) => mock.tls.set(mode),
    createAccount: async (account = {}) => accountOf(mock, mock.director.createAccount(account)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function certificateOf(options: StartOptions, config: Config): Promise<Certificate> {
  const isKept = options.certsDir !== undefined || options.tlsCertFile !== undefined;
  if (isKept) return configuredCertificate(config);
  return makeCertificateInMemory({ hosts: certificateHosts(config) });
}

function scopeOf({ director, reset }: Mock, key: string | undefined): MomoScope {
  return {
    setBalance: async (body) => {
      director.setBalance(key, body === undefined ? undefined : jsonBytes(body, 'the balance'));
    },
    respondWith: async (responses) => director.script(key, responses, 'append'),
    requests: (filter = {}) => director.requests(key, filter),
    reset: () => reset(key),
  };
}

function accountOf(mock: Mock, apikey: string): MomoAccount {
  return {
    ...scopeOf(mock, apikey),
    apikey,
    url: mock.url,
    ca: mock.certificate.cert,
    remove: async () => mock.director.removeAccount(apikey),
  };
}
