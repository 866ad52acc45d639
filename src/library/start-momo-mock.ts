import type { Config } from '../config/config.ts';
import { openLogOutput } from '../log-output.ts';
import { createLogger, SILENT } from '../logger.ts';
import { ACCOUNT, type AccountOptions, VARIANT } from '../mock/account-options.ts';
import { CALLBACKS_OPTIONS } from '../mock/callbacks/callback-filter.ts';
import { CALLBACK_SCRIPT } from '../mock/callbacks/callback-script.ts';
import { CLOCK_CHANGE, CLOCK_MOVE } from '../mock/clock/clock-change.ts';
import { checkLength } from '../mock/given-body.ts';
import type { Handler } from '../mock/handler.ts';
import { REQUESTS_OPTIONS } from '../mock/journal/journal-filter.ts';
import { BALANCE_BODY, RESPONSES } from '../mock/scripted-response.ts';
import type { State } from '../mock/state/state.ts';
import { EXPECTED_CALLBACKS } from '../mock/verify/callback-expectation.ts';
import { EXPECTED, VERIFY_OPTIONS } from '../mock/verify/expectation.ts';
import { type MockServer, startMockServer } from '../server.ts';
import { monotonicTime } from '../timers.ts';
import type { Certificate } from '../tls/certificate.ts';
import { certificateHosts, configuredCertificate } from '../tls/configured-certificate.ts';
import { makeCertificateInMemory } from '../tls/memory-certificate.ts';
import type { TlsMode } from '../tls/tls-mode.ts';
import { closed, type LocalMomoMock, type MomoScope, TLS_MODE } from './momo-mock.ts';
import { checkProcessTrust } from './process-trust.ts';
import { copyStartOptions, readStartOptions, type StartOptions } from './start-options.ts';
import { targetOf } from './target.ts';
import { Trust } from './trust.ts';

/**
 * Starts a mock in this process. By default it uses a free port and a certificate in memory, and
 * has no control API and no output. It reads nothing from the environment and handles no signals.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, `MOMO_MOCK_FIXTURE_INVALID`,
 *   `MOMO_MOCK_CERTIFICATE_UNUSABLE`, `MOMO_MOCK_PORT_IN_USE`, `MOMO_MOCK_LISTEN_FAILED`,
 *   `MOMO_MOCK_NODE_TOO_OLD`
 */
export async function startMomoMock(given: StartOptions = {}): Promise<LocalMomoMock> {
  const options = copyStartOptions(given);
  const config = await readStartOptions(options);
  const { trustInProcess = false } = options;
  if (trustInProcess) checkProcessTrust();
  const { LOG_LEVEL: level } = config;
  // A silent mock does not load pino.
  const output = level === 'silent' ? undefined : await openLogOutput(1);
  const mock = await startMockServer({
    config,
    logger: output === undefined ? SILENT : await createLogger({ level, stream: output, output }),
    logDropped: () => output?.dropped ?? 0,
    certificate: certificateOf(options, config),
    watch: options.watch ?? false,
  }).catch(async (error) => {
    await output?.close(monotonicTime() + config.SHUTDOWN_TIMEOUT);
    throw error;
  });
  const { url, controlUrl } = mock;
  const { cert, file } = mock.certificate;
  const trust = new Trust(cert, file, trustInProcess);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    trust.close();
    const until = monotonicTime() + config.SHUTDOWN_TIMEOUT;
    closing ??= mock.close().then(() => output?.close(until));
    return closing;
  };
  /** Returns the mock, or throws after `close`. */
  const alive = (): MockServer => {
    if (closing !== undefined) throw closed();
    return mock;
  };
  const scope = scopeOf(alive, undefined);
  const apikey = config.keys[0]?.key ?? '';
  return Object.assign(targetOf({ scope, url, apikey, trust }), {
    controlUrl,
    setTls: async (mode: TlsMode) => {
      const { controller, tls } = alive();
      await tls.set(controller.check(TLS_MODE, mode));
    },
    handle: async (operation: string, handler: Handler) => alive().handle(operation, handler),
    createAccount: async (account: AccountOptions = {}) => {
      const { controller } = alive();
      const given = controller.check(ACCOUNT, account);
      checkLength(given);
      const apikey = controller.createAccount(given);
      const scope = scopeOf(alive, apikey);
      const remove = async (): Promise<void> => alive().controller.removeAccount(apikey);
      return Object.assign(targetOf({ scope, url, apikey, trust }), { remove });
    },
    close,
    [Symbol.asyncDispose]: close,
  });
}

function certificateOf(options: StartOptions, config: Config): Promise<Certificate> {
  const isKept = options.certsDir !== undefined || options.tlsCertFile !== undefined;
  if (isKept) return configuredCertificate(config);
  return makeCertificateInMemory({ hosts: certificateHosts(config) });
}

/** A state that is looked up for each call, which fails after `close` and without the account. */
function localState(current: () => State): State {
  return {
    get: async (name) => await current().get(name),
    set: async (name, value) => await current().set(name, value),
    delete: async (name) => await current().delete(name),
    list: async (prefix) => await current().list(prefix),
    update: async (name, change) => await current().update(name, change),
    transaction: async (work) => await current().transaction(work),
  };
}

function scopeOf(alive: () => MockServer, key: string | undefined): MomoScope {
  return {
    setBalance: async (body) => {
      const { controller } = alive();
      const json = body === undefined ? body : checkLength(controller.check(BALANCE_BODY, body));
      controller.setBalance(key, json);
    },
    setVariant: async (variant) => {
      const { controller } = alive();
      const given = variant === undefined ? variant : controller.check(VARIANT, variant);
      controller.setVariant(key, given);
    },
    respondWith: async (responses) => {
      const { controller } = alive();
      const given = controller.check(RESPONSES, responses);
      checkLength(given);
      controller.script(key, given, 'append');
    },
    requests: async (options = {}) => {
      const { controller } = alive();
      const found = await controller.requests(key, controller.check(REQUESTS_OPTIONS, options));
      // Throws if the mock was closed in the meantime.
      alive();
      return found;
    },
    verify: async (expected, options = {}) => {
      const { controller } = alive();
      const given = controller.check(EXPECTED, expected);
      checkLength(given);
      await controller.verify(key, given, controller.check(VERIFY_OPTIONS, options));
      // Throws if the mock was closed in the meantime.
      alive();
    },
    callbacks: async (options = {}) => {
      const { controller } = alive();
      const found = await controller.callbacks(key, controller.check(CALLBACKS_OPTIONS, options));
      // Throws if the mock was closed in the meantime.
      alive();
      return found;
    },
    scriptCallbacks: async (script) => {
      const { controller } = alive();
      const given = controller.check(CALLBACK_SCRIPT, script);
      checkLength(given);
      controller.scriptCallbacks(key, given);
    },
    verifyCallbacks: async (expected, options = {}) => {
      const { controller } = alive();
      const given = controller.check(EXPECTED_CALLBACKS, expected);
      checkLength(given);
      await controller.verifyCallbacks(key, given, controller.check(VERIFY_OPTIONS, options));
      // Throws if the mock was closed in the meantime.
      alive();
    },
    verifyScripts: async () => alive().controller.verifyScripts(key),
    state: localState(() => alive().controller.state(key)),
    advance: async (by) => {
      const { controller } = alive();
      await controller.changeClock(key, controller.check(CLOCK_MOVE, { advance: by }));
      // Throws if the mock was closed in the meantime.
      alive();
    },
    freeze: async (isFrozen = true) => {
      const { controller } = alive();
      await controller.changeClock(key, controller.check(CLOCK_CHANGE, { freeze: isFrozen }));
    },
    reset: async () => await alive().reset(key),
  };
}
