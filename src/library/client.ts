import type { Routes } from '../control/routes.ts';
import { MomoMockError } from '../errors.ts';
import type { MomoAccountOptions } from '../mock/account/account-options.ts';
import {
  DEFAULT_LIMIT,
  type RequestsOptions,
  type WebhooksOptions,
} from '../mock/journal/filter.ts';
import { REQUESTS_OPTIONS, WEBHOOKS_OPTIONS } from '../mock/journal/filter-schema.ts';
import { check } from '../mock/json/check.ts';
import { MAX_ATTEMPT_MS } from '../mock/limits.ts';
import type { MomoHandler } from '../mock/operations/handler.ts';
import type { MomoState } from '../mock/state/state.ts';
import { FINISH_OPTIONS, VERIFY_OPTIONS } from '../mock/verify/expectation.ts';
import { clientTrust } from './client-trust.ts';
import { type Json, jsonExpected, jsonGiven } from './given-json.ts';
import type { MomoAccount, MomoMock, MomoScope, RedirectOptions } from './momo-mock.ts';
import { processRedirects } from './process-redirects.ts';

/** The input of a call, apart from path parameters, which the library never uses. */
export interface Ask<Name extends keyof Routes> {
  readonly apiKey?: string | undefined;
  readonly query?: Routes[Name]['query'];
  readonly json?: Json<Routes[Name]['body']> | undefined;
  /** Additional time for the response, in ms, besides the query's `timeout`. */
  readonly wait?: number;
}

/** Calls a route. The result was copied through JSON; it is an empty object if there is none. */
export type Send = <Name extends keyof Routes>(
  route: Name,
  ask?: Ask<Name>,
) => Promise<Routes[Name]['result']>;

/** What differs between a mock in this process and one over HTTP. */
export interface ClientOptions extends Pick<MomoMock, 'url' | 'controlUrl' | 'apiKey' | 'ca'> {
  /** A file that contains `ca`. */
  readonly caFile: string | null;
  readonly send: Send;
  readonly stateOf: (apiKey?: string) => MomoState;
  readonly handle: (operation: string, handler: MomoHandler, apiKey?: string) => Promise<void>;
  /** Closes the mock, or the connection to it. Called once. */
  readonly end: () => Promise<void>;
  /** What to redirect. If it fails, the client is closed. */
  readonly redirects: RedirectOptions;
}

/** Additional time for `advance`, in ms, because it waits for webhooks. */
const MAX_ADVANCE = 240_000;

export async function openClient(options: ClientOptions): Promise<MomoMock> {
  const { url, controlUrl, apiKey, ca, caFile, send, end } = options;
  const trust = clientTrust(ca, caFile);
  const target = { url, ca, agent: trust.agent, connectOptions: { ca } };
  const targetOf = (key: string, scope: MomoScope) => ({
    ...scope,
    ...target,
    apiKey: key,
    get caFile() {
      return trust.file();
    },
  });
  const redirects = processRedirects(url, ca);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    trust.close();
    redirects.close();
    closing ??= end();
    await closing;
  };
  try {
    const { redirect = [], trust: isTrusted = false } = options.redirects;
    for (const host of [redirect].flat()) redirects.redirect(host);
    if (isTrusted) redirects.trust();
  } catch (error) {
    await close();
    throw error;
  }
  return Object.assign(targetOf(apiKey, scopeOf(options)), {
    controlUrl,
    createAccount: async (given: MomoAccountOptions = {}): Promise<MomoAccount> => {
      const key = await createAccount(send, given);
      const remove = async () => void (await send('DELETE /accounts', { apiKey: key }));
      return Object.assign(targetOf(key, scopeOf(options, key)), { remove });
    },
    redirect: redirects.redirect,
    trust: redirects.trust,
    setTls: async (mode) => void (await send('PUT /tls', { json: jsonGiven({ mode }, 'mode') })),
    close,
    [Symbol.asyncDispose]: close,
  } satisfies Partial<MomoMock>);
}

export async function createAccount(send: Send, options: MomoAccountOptions): Promise<string> {
  return (await send('POST /accounts', { json: jsonGiven(options, 'account') })).apiKey;
}

/**
 * The methods for an account, or for all accounts. The mock checks their input. Only options
 * that become a query are checked here first, because text loses their types.
 */
function scopeOf({ send, stateOf, handle }: ClientOptions, apiKey?: string): MomoScope {
  const ask: Send = async (route, given = {}) => await send(route, { apiKey, ...given });
  const call = async <Name extends keyof Routes>(route: Name, given?: Ask<Name>): Promise<void> => {
    await ask(route, given);
  };
  return {
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
    handle: async (operation, handler) => handle(operation, handler, apiKey),
    requests: async (options = {}) => {
      const query = { ...check(REQUESTS_OPTIONS, options) };
      const { requests, ...counts } = await ask('GET /requests', { query });
      checkComplete('requests', counts, query);
      return requests;
    },
    verify: async (expected, options = {}) => {
      const json = jsonExpected(expected);
      await call('POST /verify', { json, query: { ...check(VERIFY_OPTIONS, options) } });
    },
    verifyUsed: async () => call('POST /verify/used'),
    webhooks: async (options = {}) => {
      const query = { ...check(WEBHOOKS_OPTIONS, options) };
      const { webhooks, ...counts } = await ask('GET /webhooks', { query });
      checkComplete('webhooks', counts, query);
      return webhooks;
    },
    sendWebhook: async (webhook) =>
      ask('POST /webhooks', { json: jsonGiven(webhook, 'webhook'), wait: MAX_ATTEMPT_MS }),
    scriptWebhooks: async (script) =>
      call('PUT /webhooks/script', { json: jsonGiven(script, 'script') }),
    verifyWebhooks: async (expected, options = {}) => {
      const json = jsonExpected(expected);
      await call('POST /verify/webhooks', { json, query: { ...check(VERIFY_OPTIONS, options) } });
    },
    state: stateOf(apiKey),
    advance: async (ms) => {
      // JSON would omit an undefined field.
      const advance = ms ?? (null as unknown as typeof ms);
      await call('POST /clock', { json: jsonGiven({ advance }, 'advance'), wait: MAX_ADVANCE });
    },
    finish: async ({ waitFor, timeout, ...request } = {}) => {
      const query = check(FINISH_OPTIONS, { waitFor, timeout });
      await call('POST /finish', { json: jsonExpected(request), query, wait: MAX_ADVANCE });
    },
    freeze: async () => call('POST /clock', { json: '{"freeze":true}' }),
    unfreeze: async () => call('POST /clock', { json: '{"freeze":false}' }),
    snapshot: async () => ask('GET /snapshot'),
    restore: async (snapshot) => call('PUT /snapshot', { json: jsonGiven(snapshot, 'snapshot') }),
    reset: async () => call('POST /reset'),
  };
}

/** A plain list cannot say how many entries were dropped. */
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
