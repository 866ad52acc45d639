import type { Account } from '../account/account.ts';
import type { Exceeded } from '../account/rate-limit.ts';
import { BALANCE } from '../contract.ts';
import type { MomoHandler } from '../operations/handler.ts';
import type { Operation, ScriptedFixture } from '../operations/operation.ts';
import type { RequestReason } from '../requests/reason.ts';
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
  readonly file?: string;
  readonly variant?: string | undefined;
  readonly delay?: number | undefined;
  readonly fault?: PreparedFault | undefined;
  readonly webhooks?: readonly PreparedWebhook[];
  /** Whether the body comes from `errors/<status>`, which may be a handler. */
  readonly isError?: boolean;
  readonly reason?: RequestReason | undefined;
  /** @default the hint of the reason */
  readonly hint?: string | undefined;
}

export interface HandlerCall {
  readonly handler: MomoHandler;
  readonly file: string;
  readonly variant?: string | undefined;
  /** Those that change or replace the handler's response: a variant's file, then a test's. */
  readonly scripts: readonly PreparedResponse[];
  /** `script` if a test's scripted response replaces the handler's. */
  readonly source: 'handler' | 'script';
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
 * accounts, the variant set for the account, the variant set for all accounts, the account's initial
 * variant, the default file. An operation that a test handles has no variants, and the handler in
 * place of the default file.
 */
export function decide(taken: Taken, circumstances: Circumstances): Decision | HandlerCall {
  const normal = unscripted(taken, circumstances);
  const { script, account } = taken;
  if (script === undefined) return normal;
  const { operation, errors } = circumstances;
  if (!('handler' in normal)) return { ...withScript(script, normal, errors), source: 'script' };
  // Without an account, only the handler of an open operation runs.
  const canRun = account !== undefined || operation.isOpen === true;
  if (!canRun || !keepsEffects(script)) {
    return { ...withScript(script, { http: BARE }, errors), source: 'script' };
  }
  const source = keepsResponse(script) ? 'handler' : 'script';
  return { ...normal, scripts: [...normal.scripts, script], source };
}

function unscripted(
  { account }: Taken,
  { operation, errors, mock: { all } }: Circumstances,
): Decision | HandlerCall {
  if (operation.name === BALANCE) {
    const http = account?.balanceSet.value ?? all.balanceSet.value;
    if (http !== undefined) return { http, source: 'balance' };
  }
  const variant = chosenVariant(
    [account?.variantSet.value, all.variantSet.value, account?.initial?.variant],
    (name) => operation.variants.has(name),
  );
  const fixture = fixtureOf(operation, variant);
  const { file } = fixture;
  if ('body' in fixture) return { http: fixture, source: 'fixture', file, variant };
  if ('handler' in fixture) {
    return { handler: fixture.handler, file, variant, scripts: [], source: 'handler' };
  }
  const { script } = fixture;
  const normal = operation.default;
  if ('handler' in normal && keepsEffects(script)) {
    const { handler, file } = normal;
    return { handler, file, variant, scripts: [script], source: 'handler' };
  }
  const changed = changedBy(fixture, operation, errors);
  return { ...withScript(script, changed, errors), source: 'fixture', file, variant };
}

function fixtureOf({ variants, default: normal }: Operation, variant: string | undefined) {
  return (variant === undefined ? undefined : variants.get(variant)) ?? normal;
}

/** The response that a `.response.json` file changes: the default file's, unless it is that file. */
function changedBy(
  fixture: ScriptedFixture,
  { default: normal }: Operation,
  errors: ErrorResponses,
): Changeable {
  if (normal === fixture || 'handler' in normal) return { http: BARE };
  return 'body' in normal ? { http: normal } : withScript(normal.script, { http: BARE }, errors);
}

function keepsResponse({ status, body }: PreparedResponse): boolean {
  return status === undefined && body === undefined;
}

/** Whether the handler runs, or the webhooks of the file are sent, as without the scripted response. */
function keepsEffects(script: PreparedResponse): boolean {
  return script.afterHandler || keepsResponse(script);
}

export type Changeable = Omit<Decision, 'source' | 'file' | 'variant'>;

export function withScript(
  script: PreparedResponse,
  normal: Changeable,
  errors: ErrorResponses,
): Changeable {
  const { status = 0, body } = script;
  const { delay = 0, webhooks = [] } = keepsEffects(script) ? normal : {};
  const isError = status >= 400 && body === undefined;
  const kept: Omit<Changeable, 'http'> = keepsResponse(script) ? normal : { isError };
  return {
    http: applyScript(script, normal.http, errors),
    delay: delay + script.delay(),
    fault: script.fault ?? kept.fault,
    webhooks: [...webhooks, ...script.webhooks],
    isError: kept.isError ?? false,
    reason: kept.reason,
    hint: kept.hint,
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
  const { http } = changedBy(fixture, operation, errors);
  return { file, http: applyScript(fixture.script, http, errors) };
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
