import type { Routes } from '../control/routes.ts';
import { invalid, MomoMockError } from '../errors.ts';
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
import { PROMPTS_OPTIONS } from '../mock/prompts/prompt.ts';
import type { MomoState } from '../mock/state/state.ts';
import { FINISH_OPTIONS, VERIFY_OPTIONS } from '../mock/verify/expectation.ts';
import { withCallerStacks } from './caller-stack.ts';
import { clientTrust } from './client-trust.ts';
import { type Json, jsonExpected, jsonGiven } from './given-json.ts';
import type { MomoAccount, MomoMock, MomoScope, RedirectOptions } from './momo-mock.ts';
import { processRedirects } from './process-redirects.ts';

/** The input of a call. */
export interface Ask<Name extends keyof Routes> {
  readonly apiKey?: string | undefined;
  readonly params?: Readonly<Record<string, string>>;
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
  readonly caFile: string | null;
  readonly send: Send;
  /** The id of the account of `apiKey`. */
  readonly id: () => string;
  /** Returns what gets the current state, for each call of it. */
  readonly stateOf: (apiKey?: string) => () => MomoState;
  readonly handle: (operation: string, handler: MomoHandler, apiKey?: string) => Promise<void>;
  /** Called after a reset of everything. */
  readonly afterReset?: () => Promise<void>;
  /** Closes the mock, or the connection to it. Called once. */
  readonly end: () => Promise<void>;
  /** What to redirect. If it fails, the client is closed. */
  readonly redirects: RedirectOptions;
}

const NO_ARGUMENT =
  'Failed to freeze the clock: freeze takes no argument. Call unfreeze() to let the clock run again.';

/** Additional time for `advance`, in ms, because it waits for webhooks. */
const MAX_ADVANCE = 240_000;

export async function openClient(options: ClientOptions): Promise<MomoMock> {
  const { url, controlUrl, apiKey, ca, caFile, send, id, end, afterReset } = options;
  const trust = clientTrust(ca, caFile);
  const target = { url, ca, agent: trust.agent, connectOptions: { ca } };
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
    redirects.redirect(redirect);
    if (isTrusted) redirects.trust();
  } catch (error) {
    await close();
    throw error;
  }
  const accountOf = (
    key: string,
    { id, remove }: { readonly id: () => string; readonly remove: () => Promise<void> },
  ): MomoAccount =>
    withCallerStacks({
      ...scopeOf(options, key),
      ...target,
      apiKey: key,
      get caFile() {
        return trust.file();
      },
      get id() {
        return id();
      },
      ledger: async () => [...(await send('GET /ledger', { apiKey: key })).ledger],
      remove,
    });
  const account = accountOf(apiKey, { id, remove: refuseRemoval });
  const scope = scopeOf(options);
  return withCallerStacks({
    ...scope,
    ...target,
    apiKey,
    get caFile() {
      return trust.file();
    },
    controlUrl,
    account: (...given: readonly unknown[]) => {
      if (given.length === 0) return account;
      const text =
        'Failed to find the account: account() is the account of mock.apiKey, and takes nothing. For another account, use createAccount(), or connectMomoMock with its apiKey.';
      throw new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
    },
    createAccount: async (given: MomoAccountOptions = {}) => {
      const { apiKey: key, id } = await createAccount(send, given);
      const remove = async () => void (await send('DELETE /accounts', { apiKey: key }));
      return accountOf(key, { id: () => id, remove });
    },
    reset: async () => {
      await scope.reset();
      await afterReset?.();
    },
    redirect: redirects.redirect,
    trust: redirects.trust,
    setTls: async (mode) => void (await send('PUT /tls', { json: jsonGiven({ mode }, 'mode') })),
    close,
    [Symbol.asyncDispose]: close,
  } satisfies MomoMock);
}

async function refuseRemoval(): Promise<void> {
  const problem = 'it is the account of mock.apiKey, which the mock needs';
  const text = `Failed to remove the account: ${problem}. Call reset() to restore its initial state, or use an account of createAccount().`;
  throw new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
}

export async function createAccount(
  send: Send,
  options: MomoAccountOptions,
): Promise<Routes['POST /accounts']['result']> {
  return await send('POST /accounts', { json: jsonGiven(options, 'account') });
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
    setBalance: async (balance) => {
      if (balance === undefined) {
        throw invalid('balance', 'it is undefined. Call clearBalance() to remove the balance');
      }
      await call('PUT /balance', { json: jsonGiven(balance, 'balance') });
    },
    clearBalance: async () => call('DELETE /balance'),
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
    responses: async () => [...(await ask('GET /responses')).responses],
    clearResponses: async () => call('DELETE /responses'),
    handle: async (operation, handler) => handle(operation, handler, apiKey),
    requests: async (options = {}) => {
      const query = { ...check(REQUESTS_OPTIONS, options) };
      const { requests, ...counts } = await ask('GET /requests', { query });
      checkComplete('requests', counts, query);
      return requests;
    },
    clearRequests: async () => call('DELETE /requests'),
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
    clearWebhooks: async () => call('DELETE /webhooks'),
    sendWebhook: async (webhook) =>
      ask('POST /webhooks', { json: jsonGiven(webhook, 'webhook'), wait: MAX_ATTEMPT_MS }),
    scriptWebhooks: async (script) =>
      call('PUT /webhooks/script', { json: jsonGiven(script, 'script') }),
    webhookScript: async () => [...(await ask('GET /webhooks/script')).script],
    clearWebhookScript: async () => call('DELETE /webhooks/script'),
    verifyWebhooks: async (expected, options = {}) => {
      const json = jsonExpected(expected);
      await call('POST /verify/webhooks', { json, query: { ...check(VERIFY_OPTIONS, options) } });
    },
    state: currentState(stateOf(apiKey)),
    advance: async (ms) => {
      // JSON would omit an undefined field.
      const advance = ms ?? (null as unknown as typeof ms);
      const json = jsonGiven({ advance }, 'advance');
      return await ask('POST /clock', { json, wait: MAX_ADVANCE });
    },
    finish: async (options = {}) => {
      if (typeof options !== 'object' || options === null || Array.isArray(options))
        throw invalid('the options', 'must be an object');
      const { waitFor, timeout, ...request } = options;
      const query = check(FINISH_OPTIONS, { waitFor, timeout });
      return await ask('POST /finish', { json: jsonExpected(request), query, wait: MAX_ADVANCE });
    },
    clock: async () => ask('GET /clock'),
    freeze: async (...given: unknown[]) => {
      if (given.length > 0) throw new MomoMockError('MOMO_MOCK_REQUEST_INVALID', NO_ARGUMENT);
      return await ask('POST /clock', { json: '{"freeze":true}' });
    },
    unfreeze: async () => ask('POST /clock', { json: '{"freeze":false}' }),
    prompts: async (options = {}) => {
      const query = { ...check(PROMPTS_OPTIONS, options) };
      return [...(await ask('GET /prompts', { query })).prompts];
    },
    answerPrompt: async (id, choice) => {
      if (!Number.isSafeInteger(id)) {
        throw invalid('id', 'must be the number of a prompt, as prompts() returns it');
      }
      const json = jsonGiven({ choice }, 'choice');
      await call('POST /prompts/:id', { params: { id: `${id}` }, json, wait: MAX_ADVANCE });
    },
    snapshot: async () => ask('GET /snapshot'),
    restore: async (snapshot) => ask('PUT /snapshot', { json: jsonGiven(snapshot, 'snapshot') }),
    reset: async () => call('POST /reset'),
  };
}

function currentState(current: () => MomoState): MomoState {
  return {
    get: async (name: string) => await current().get(name),
    set: async (name, value) => await current().set(name, value),
    delete: async (name) => await current().delete(name),
    list: async (prefix) => await current().list(prefix),
    update: async (name, change) => await current().update(name, change),
    transaction: async (fn) => await current().transaction(fn),
  };
}

/** A plain list cannot say how many entries were dropped. */
function checkComplete(
  noun: 'requests' | 'webhooks',
  { total, dropped }: { readonly total: number; readonly dropped: number },
  { waitFor = 0, limit = DEFAULT_LIMIT }: RequestsOptions | WebhooksOptions,
): void {
  const isLacking = dropped > 0 && waitFor === 0 && total < limit;
  if (!isLacking) return;
  const older = dropped === 1 ? `1 older ${noun.slice(0, -1)}` : `${dropped} older ${noun}`;
  const text = `Failed to list the ${noun}: the journal removed ${older} to make room. Raise MOMO_MOCK_JOURNAL_SIZE or MOMO_MOCK_JOURNAL_BYTES, or set limit to at most ${total} for the newest.`;
  throw new MomoMockError('MOMO_MOCK_NOT_VERIFIED', text);
}
