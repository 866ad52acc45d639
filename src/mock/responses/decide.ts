import type { Account } from '../account/account.ts';
import type { Exceeded } from '../account/rate-limit.ts';
import { BALANCE } from '../contract.ts';
import type { MomoHandler } from '../operations/handler.ts';
import type { Operation } from '../operations/operation.ts';
import type { PreparedWebhook } from '../webhooks/webhook.ts';
import { chosenVariant } from './chosen-variant.ts';
import type { PreparedFault } from './fault.ts';
import { type ErrorResponses, errorResponse, type HttpResponse } from './http-response.ts';
import type { PreparedResponse, Script } from './scripted-response.ts';
import type { ResponseSource } from './source-words.ts';

export interface Taken {
  /** The account of the key; `undefined` if there is none, or before the key check. */
  readonly account?: Account | undefined;
  /** Then it takes no scripted response. */
  readonly exceeded?: Exceeded | undefined;
  readonly script?: Script | undefined;
}

export interface Decision {
  readonly http: HttpResponse;
  readonly source: ResponseSource;
  /** The fixture file of the response. */
  readonly file?: string;
  readonly variant?: string | undefined;
  readonly delay?: number | undefined;
  readonly fault?: PreparedFault | undefined;
  readonly webhooks?: readonly PreparedWebhook[];
  /** Whether the body comes from `errors/<status>`, which may be a handler. */
  readonly isError?: boolean;
}

/** The handler that decides the response. */
export interface HandlerCall {
  readonly handler: MomoHandler;
  /** The file of the handler; `undefined` for a handler that a test has set. */
  readonly file?: string;
  readonly variant?: string | undefined;
  /** A scripted response without a status and a body, which changes the handler's response. */
  readonly script?: PreparedResponse | undefined;
}

interface Circumstances {
  readonly operation: Operation;
  readonly errors: ErrorResponses;
  readonly mock: { readonly all: Account };
}

/** The base that scripted responses and handlers' responses change, where no file provides one. */
export const BARE: HttpResponse = { status: 200, headers: {}, body: Buffer.alloc(0) };

/**
 * Decides the response of an operation, or the handler that creates it. The first that exists is used:
 * the account's script, the script of all accounts, the account's balance, the balance of all
 * accounts, a handler that a test has set (the account's, then that of all), the variant set for the
 * account, the variant set for all accounts, the account's initial variant, the default file.
 */
export function decide(taken: Taken, circumstances: Circumstances): Decision | HandlerCall {
  const normal = unscripted(taken, circumstances);
  const { script, account } = taken;
  if (script === undefined) return normal;
  const isHandled = 'handler' in normal;
  // Without an account, only the handler of an open operation runs.
  const canRun = account !== undefined || circumstances.operation.isOpen === true;
  if (isHandled && canRun && isForHandler(script)) return { ...normal, script };
  const http = isHandled ? BARE : normal.http;
  const { webhooks = [] } = isHandled || !isForHandler(script) ? {} : normal;
  const decision = withScript(script, http, circumstances.errors);
  return { ...decision, webhooks: [...webhooks, ...script.webhooks], source: 'script' };
}

function unscripted(
  { account }: Taken,
  { operation, errors, mock: { all } }: Circumstances,
): Decision | HandlerCall {
  if (operation.name === BALANCE) {
    const http = account?.balanceSet.value ?? all.balanceSet.value;
    if (http !== undefined) return { http, source: 'balance' };
  }
  const handler = account?.handlers.get(operation) ?? all.handlers.get(operation);
  if (handler !== undefined) return { handler };
  const variant = chosenVariant(
    [account?.variantSet.value, all.variantSet.value, account?.initial?.variant],
    (name) => operation.variants.has(name),
  );
  const fixture = fixtureOf(operation, variant);
  const { file } = fixture;
  if ('body' in fixture) return { http: fixture, source: 'fixture', file, variant };
  if ('handler' in fixture) return { handler: fixture.handler, file, variant };
  const { script } = fixture;
  const normal = operation.default;
  if ('handler' in normal && isForHandler(script)) {
    return { handler: normal.handler, file: normal.file, variant, script };
  }
  return { ...withScript(script, normalOf(operation), errors), source: 'fixture', file, variant };
}

function fixtureOf({ variants, default: normal }: Operation, variant: string | undefined) {
  return (variant === undefined ? undefined : variants.get(variant)) ?? normal;
}

function normalOf({ default: normal }: Operation): HttpResponse {
  return 'handler' in normal ? BARE : normal;
}

/** Whether a scripted response keeps the status and the body of the handler, or of the file. */
function isForHandler({ status, body }: PreparedResponse): boolean {
  return status === undefined && body === undefined;
}

function withScript(script: PreparedResponse, normal: HttpResponse, errors: ErrorResponses) {
  const { status, body, fault, webhooks } = script;
  return {
    http: applyScript(script, normal, errors),
    delay: script.delay(),
    fault,
    webhooks,
    isError: status !== undefined && status >= 400 && body === undefined,
  };
}

/** The response of a variant's file, or of the default file; `http` is `undefined` for a handler. */
export function fixtureResponse(
  operation: Operation,
  variant: string | undefined,
  errors: ErrorResponses,
): { file: string; http: HttpResponse | undefined } {
  const fixture = fixtureOf(operation, variant);
  const { file } = fixture;
  if ('handler' in fixture) return { file, http: undefined };
  if ('body' in fixture) return { file, http: fixture };
  return { file, http: applyScript(fixture.script, normalOf(operation), errors) };
}

export function applyScript(
  { status, headers, body }: Pick<PreparedResponse, 'status' | 'headers' | 'body'>,
  normal: HttpResponse,
  errors: ErrorResponses,
): HttpResponse {
  const isError = status !== undefined && status >= 400;
  const base = isError ? errorResponse(errors, status) : normal;
  const hasNoBody = status === 204 || status === 304;
  return {
    status: status ?? base.status,
    headers: { ...(body === undefined && base.headers), ...headers },
    body: hasNoBody ? Buffer.alloc(0) : (body ?? base.body),
  };
}
