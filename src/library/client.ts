import { invalid } from '../errors.ts';
import type { AccountOptions } from '../mock/account-options.ts';
import { check } from '../mock/check.ts';
import type { CallbackEntry } from '../mock/journal/entry.ts';
import {
  type CallbacksOptions,
  DEFAULT_TIMEOUT,
  type RequestsOptions,
} from '../mock/journal/filter.ts';
import { CALLBACKS_OPTIONS, REQUESTS_OPTIONS } from '../mock/journal/filter-schema.ts';
import { LONGEST_ATTEMPT } from '../mock/limits.ts';
import type { State } from '../mock/state/state.ts';
import { VERIFY_OPTIONS, type VerifyOptions } from '../mock/verify/expectation.ts';
import type { TlsMode } from '../tls/tls-mode.ts';
import type { MomoAccount, MomoMock, MomoScope, MomoTarget } from './momo-mock.ts';
import type { ProcessRoutes } from './process-routes.ts';
import type { Trust } from './trust.ts';
import { VERIFIED, type Verifiable, type VerifiedListener } from './verified.ts';

/** The input of a call of the control API. */
export interface Ask {
  /** The key of the account. Without it, the call is for the whole service. */
  readonly apikey?: string | undefined;
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  /** The body, as JSON. */
  readonly json?: string | undefined;
  /**
   * The additional time that the response may take, in ms.
   *
   * @default 0
   */
  readonly wait?: number;
}

/**
 * Makes a call of the control API, in this process or over HTTP.
 *
 * @param route the method and the path, such as `PUT /variant`
 * @returns its result, through JSON; an empty object if there is none
 * @throws MomoMockError with the code from the control API, or `MOMO_MOCK_CLOSED`
 */
export type Send = (route: string, ask?: Ask) => Promise<Readonly<Record<string, unknown>>>;

/** How a mock is reached, in this process or over HTTP. */
export interface Connection extends Pick<MomoTarget, 'url' | 'apikey'> {
  readonly send: Send;
  /** Returns the state of an account, or of the whole service. */
  readonly stateOf: (apikey?: string) => State;
  readonly trust: Trust;
  readonly routes: ProcessRoutes;
}

/** How long an `advance` may take in addition, in ms: it waits for callbacks. */
const MAX_ADVANCE = 240_000;

/** A mock, apart from what differs in this process and over HTTP. */
export function clientOf(
  connection: Connection,
): MomoScope & MomoTarget & Pick<MomoMock, 'setTls' | 'createAccount' | 'redirect' | 'trust'> {
  const { send, apikey, routes } = connection;
  const createAccount = async (options: AccountOptions = {}): Promise<MomoAccount> => {
    const minted = await mint(send, options);
    const remove = async (): Promise<void> => {
      await send('DELETE /accounts', { apikey: minted });
    };
    return Object.assign(targetOf(connection, minted, scopeOf(connection, minted)), { remove });
  };
  return Object.assign(targetOf(connection, apikey, scopeOf(connection)), {
    createAccount,
    redirect: (host: string) => routes.redirect(host),
    trust: () => routes.trust(),
    setTls: async (mode: TlsMode) => {
      await send('PUT /tls', { json: jsonGiven({ mode }, 'mode') });
    },
  });
}

/** Makes an account. Returns its key. */
export async function mint(send: Send, options: AccountOptions): Promise<string> {
  const { apikey } = await send('POST /accounts', { json: jsonGiven(options, 'account') });
  return String(apikey);
}

/** A scope, with what the code under test needs to reach and trust the mock. */
function targetOf({ url, trust }: Connection, apikey: string, scope: MomoScope) {
  const { ca, agent, connect } = trust;
  return {
    ...scope,
    url,
    apikey,
    ca,
    get caFile() {
      return trust.file();
    },
    agent,
    connect,
  };
}

/**
 * All that a test can configure and query of an account, or of the whole service. The mock checks
 * the input. Only the options that become a query are checked here first, because text cannot show
 * their types.
 *
 * @param apikey the key of the account. @default none, for the whole service
 */
function scopeOf({ send, stateOf }: Connection, apikey?: string): MomoScope & Verifiable {
  const call = async (route: string, ask: Ask = {}): Promise<void> => {
    await send(route, { apikey, ...ask });
  };
  const find = async <Entry>(
    name: 'requests' | 'callbacks',
    options: RequestsOptions | CallbacksOptions,
  ): Promise<Entry[]> => {
    const wait = options.waitFor === undefined ? 0 : (options.timeout ?? DEFAULT_TIMEOUT);
    const result = await send(`GET /${name}`, { apikey, query: { ...options }, wait });
    return (result as Record<typeof name, Entry[]>)[name];
  };
  const verify = async (route: string, expected: unknown, options: VerifyOptions) => {
    const json = jsonGiven(expected, 'expected');
    const { timeout: wait = 0 } = check(VERIFY_OPTIONS, options);
    await call(route, { json, query: { ...options }, wait });
  };
  const listeners = new Set<VerifiedListener>();
  return {
    [VERIFIED]: listeners,
    setBalance: async (body) =>
      body === undefined
        ? call('DELETE /balance')
        : call('PUT /balance', { json: jsonGiven(body, 'balance') }),
    setVariant: async (variant) =>
      variant === undefined
        ? call('DELETE /variant')
        : call('PUT /variant', { json: jsonGiven({ variant }, 'variant') }),
    setRateLimit: async (limit) =>
      limit === undefined
        ? call('DELETE /rate-limit')
        : call('PUT /rate-limit', { json: jsonGiven(limit, 'limit') }),
    respondWith: async (responses) =>
      call('POST /responses', { json: jsonGiven(responses, 'responses') }),
    requests: async (options = {}) => find('requests', check(REQUESTS_OPTIONS, options)),
    verify: async (expected, options = {}) => {
      await verify('POST /verify', expected, options);
      for (const listener of listeners) listener(expected);
    },
    verifyScripts: async () => call('POST /verify/scripts'),
    sendCallback: async (callback) => {
      const json = jsonGiven(callback, 'callback');
      const sent: unknown = await send('POST /callbacks', { apikey, json, wait: LONGEST_ATTEMPT });
      return sent as CallbackEntry;
    },
    callbacks: async (options = {}) => find('callbacks', check(CALLBACKS_OPTIONS, options)),
    scriptCallbacks: async (script) =>
      call('PUT /callbacks/script', { json: jsonGiven(script, 'script') }),
    verifyCallbacks: async (expected, options = {}) =>
      verify('POST /verify/callbacks', expected, options),
    state: stateOf(apikey),
    advance: async (by) => {
      const json = jsonGiven({ advance: by ?? null }, 'advance');
      await call('POST /clock', { json, wait: MAX_ADVANCE });
    },
    freeze: async (isFrozen = true) =>
      call('POST /clock', { json: jsonGiven({ freeze: isFrozen }, 'freeze') }),
    reset: async () => call('POST /reset'),
  };
}

/**
 * The JSON of what a test gives to a call. What JSON would drop or change silently is refused. The
 * mock checks the rest.
 *
 * @param what its name in the error
 * @returns `undefined` for `undefined`
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
function jsonGiven(value: unknown, what: string): string | undefined {
  const refuse = (found: string) =>
    invalid(what, `${found} has no JSON. Use objects, lists, texts, numbers, true, false and null`);
  try {
    return JSON.stringify(value, function (this: unknown, _name, item: unknown) {
      const found = lossOf(item, Array.isArray(this));
      if (found !== undefined) throw refuse(found);
      return item;
    });
  } catch (error) {
    // A circle, or a getter that throws.
    throw error instanceof TypeError || error instanceof RangeError ? refuse('a circle') : error;
  }
}

/** What JSON would drop or change, in words; `undefined` for everything else. */
function lossOf(value: unknown, isInList: boolean): string | undefined {
  if (value === undefined) return isInList ? 'undefined in a list' : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${value}`;
  if (['function', 'symbol', 'bigint'].includes(typeof value)) return `a ${typeof value}`;
  // Such as a Map, whose content is in no field.
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  const name = isEmpty && Object.getPrototypeOf(value)?.constructor?.name;
  return name && name !== 'Object' && name !== 'Array' ? `a ${name}` : undefined;
}
