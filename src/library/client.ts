import type { Routes } from '../control/routes.ts';
import { MomoMockError } from '../errors.ts';
import type { MomoAccountOptions } from '../mock/account/account-options.ts';
import {
  DEFAULT_LIMIT,
  DEFAULT_TIMEOUT,
  type RequestsOptions,
  type WebhooksOptions,
} from '../mock/journal/filter.ts';
import { REQUESTS_OPTIONS, WEBHOOKS_OPTIONS } from '../mock/journal/filter-schema.ts';
import { check } from '../mock/json/check.ts';
import { MAX_ATTEMPT_MS } from '../mock/limits.ts';
import type { MomoState } from '../mock/state/state.ts';
import { VERIFY_OPTIONS } from '../mock/verify/expectation.ts';
import { ClientTrust } from './client-trust.ts';
import { type Json, jsonExpected, jsonGiven } from './given-json.ts';
import type { MomoAccount, MomoMock, MomoScope } from './momo-mock.ts';
import { ProcessRedirects, type RedirectOptions } from './process-redirects.ts';
import { VERIFIED, type Verifiable, type VerifiedListener } from './verified.ts';

/** The input of a call, apart from path parameters, which the library never uses. */
export interface Ask<Name extends keyof Routes> {
  /** The account's key; without it, the call is for the whole service. */
  readonly apiKey?: string | undefined;
  readonly query?: Routes[Name]['query'];
  readonly json?: Json<Routes[Name]['body']> | undefined;
  /** Additional time for the response, in ms. @default 0 */
  readonly wait?: number;
}

/**
 * Calls a route of the control API, in this process or over HTTP.
 *
 * @param route method and path, such as `PUT /variant`
 * @returns the result, copied through JSON; an empty object if there is none
 * @throws MomoMockError with the code from the control API, or `MOMO_MOCK_CLOSED`
 */
export type Send = <Name extends keyof Routes>(
  route: Name,
  ask?: Ask<Name>,
) => Promise<Routes[Name]['result']>;

/** What differs between a mock in this process and one over HTTP. */
export interface ClientOptions extends Pick<MomoMock, 'url' | 'controlUrl' | 'apiKey' | 'ca'> {
  /** The path of a file that contains `ca`; `null` if there is none. */
  readonly caFile: string | null;
  readonly send: Send;
  /** The state of an account, or of the whole service. */
  readonly stateOf: (apikey?: string) => MomoState;
  /** Closes the mock, or the connection to it. Called once. */
  readonly end: () => Promise<void>;
  /** What to redirect. If it fails, the client is closed. */
  readonly redirects: RedirectOptions;
}

/** Additional time for `advance`, in ms, because it waits for webhooks. */
const MAX_ADVANCE = 240_000;

/** Creates the client, which is the same in process and over HTTP. */
export async function openClient(options: ClientOptions): Promise<MomoMock> {
  const { url, controlUrl, apiKey: apikey, ca, caFile, send, end } = options;
  const trust = new ClientTrust(ca, caFile);
  const target = { url, ca, agent: trust.agent, connect: { ca } };
  const targetOf = (key: string, scope: MomoScope) => ({
    ...scope,
    ...target,
    apikey: key,
    get caFile() {
      return trust.file();
    },
  });
  const redirects = new ProcessRedirects(url, ca);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    trust.close();
    redirects.close();
    closing ??= end();
    await closing;
  };
  try {
    redirects.add(options.redirects);
  } catch (error) {
    await close();
    throw error;
  }
  return Object.assign(targetOf(apikey, scopeOf(options)), {
    controlUrl,
    createAccount: async (given: MomoAccountOptions = {}): Promise<MomoAccount> => {
      const key = await createAccount(send, given);
      const remove = async () => void (await send('DELETE /accounts', { apiKey: key }));
      return Object.assign(targetOf(key, scopeOf(options, key)), { remove });
    },
    redirect: (host: string) => redirects.redirect(host),
    trust: () => redirects.trust(),
    setTls: async (mode) => void (await send('PUT /tls', { json: jsonGiven({ mode }, 'mode') })),
    close,
    [Symbol.asyncDispose]: close,
  } satisfies Partial<MomoMock>);
}

export async function createAccount(send: Send, options: MomoAccountOptions): Promise<string> {
  return (await send('POST /accounts', { json: jsonGiven(options, 'account') })).apikey;
}

/**
 * The methods for an account, or for the whole service. Each calls a route, and the compiler checks
 * its types. The mock checks the input. Only options that become a query are checked here first,
 * because text loses their types.
 *
 * @param apikey the account's key. @default none, for the whole service
 */
function scopeOf({ send, stateOf }: ClientOptions, apikey?: string): MomoScope & Verifiable {
  const ask: Send = async (route, given = {}) => await send(route, { apiKey: apikey, ...given });
  const call = async <Name extends keyof Routes>(route: Name, given?: Ask<Name>): Promise<void> => {
    await ask(route, given);
  };
  const listeners = new Set<VerifiedListener>();
  return {
    [VERIFIED]: listeners,
    setBalance: async (balance) =>
      balance === undefined
        ? call('DELETE /balance')
        : call('PUT /balance', { json: jsonGiven(balance, 'balance') }),
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
    requests: async (options = {}) => {
      const query = { ...check(REQUESTS_OPTIONS, options) };
      const { requests, ...counts } = await ask('GET /requests', { query, wait: waitOf(query) });
      checkComplete('requests', counts, query);
      return requests;
    },
    verify: async (expected, options = {}) => {
      const json = jsonExpected(expected);
      const query = { ...check(VERIFY_OPTIONS, options) };
      await call('POST /verify', { json, query, wait: query.timeout ?? 0 });
      for (const listener of listeners) listener(expected);
    },
    verifyUsed: async () => call('POST /verify/used'),
    webhooks: async (options = {}) => {
      const query = { ...check(WEBHOOKS_OPTIONS, options) };
      const { webhooks, ...counts } = await ask('GET /webhooks', { query, wait: waitOf(query) });
      checkComplete('webhooks', counts, query);
      return webhooks;
    },
    sendWebhook: async (webhook) =>
      ask('POST /webhooks', { json: jsonGiven(webhook, 'webhook'), wait: MAX_ATTEMPT_MS }),
    scriptWebhooks: async (script) =>
      call('PUT /webhooks/script', { json: jsonGiven(script, 'script') }),
    verifyWebhooks: async (expected, options = {}) => {
      const json = jsonExpected(expected);
      const query = { ...check(VERIFY_OPTIONS, options) };
      await call('POST /verify/webhooks', { json, query, wait: query.timeout ?? 0 });
    },
    state: stateOf(apikey),
    advance: async (by) => {
      // JSON would omit an undefined field.
      const advance = by ?? (null as unknown as typeof by);
      await call('POST /clock', { json: jsonGiven({ advance }, 'advance'), wait: MAX_ADVANCE });
    },
    freeze: async (freeze = true) => call('POST /clock', { json: jsonGiven({ freeze }, 'freeze') }),
    snapshot: async () => ask('GET /snapshot'),
    restore: async (snapshot) => call('PUT /snapshot', { json: jsonGiven(snapshot, 'snapshot') }),
    reset: async () => call('POST /reset'),
  };
}

/** Over HTTP, a list says how many entries were dropped. A plain list cannot. */
function checkComplete(
  noun: 'requests' | 'webhooks',
  { total, dropped }: { readonly total: number; readonly dropped: number },
  { waitFor = 0, limit = DEFAULT_LIMIT }: RequestsOptions | WebhooksOptions,
): void {
  const isLacking = dropped > 0 && total < (waitFor > 0 ? waitFor : limit);
  if (!isLacking) return;
  const older = dropped === 1 ? `1 older ${noun.slice(0, -1)}` : `${dropped} older ${noun}`;
  const text = `Failed to list the ${noun}: the journal removed ${older} to make room. Raise MOMO_MOCK_JOURNAL_SIZE or MOMO_MOCK_JOURNAL_BYTES, or set limit to at most ${total} for the newest.`;
  throw new MomoMockError('MOMO_MOCK_NOT_VERIFIED', text);
}

function waitOf({
  waitFor,
  timeout = DEFAULT_TIMEOUT,
}: Pick<RequestsOptions, 'waitFor' | 'timeout'>): number {
  return waitFor === undefined ? 0 : timeout;
}
