import { bodyText } from '../mock/body-text.ts';
import { isNamedIn } from '../mock/given-body.ts';
import type { HandlerRequest } from '../mock/handler.ts';
import { isTooDeep, TOO_DEEP } from '../mock/json-of.ts';
import { keyFinder } from '../mock/key-rule.ts';
import { MAX_BODY_BYTES, MAX_CHECKED_BYTES, MAX_FIELDS, MAX_GIVEN_BYTES } from '../mock/limits.ts';
import type { Redactor } from '../mock/redaction/redaction.ts';
import type { RequestHeaders } from '../mock/request-headers.ts';
import type { RequestViolation } from '../mock/request-schema.ts';
import { fieldsOf, pairsOf, parseTarget, type RequestTarget } from '../mock/request-target.ts';
import type { ServiceRequest } from './request.ts';

export interface Checked {
  readonly problems: readonly RequestViolation[];
  /** The places of the problems, for the journal. */
  readonly detail: string;
}

export const ACCEPTED: Checked = { problems: [], detail: '' };

/**
 * The request for a handler or a request schema: with a parsed body, and without all headers and
 * query parameters that contain the account's key.
 *
 * @param key the account's key. @default the key of `request.account`, if it is set
 */
export function handlerRequest(
  request: ServiceRequest,
  key: string | undefined = request.account?.initial?.key,
): HandlerRequest {
  const parts = partsOf(request);
  if (key === undefined) return parsedRequest(request, parts);
  const hasKey = keyFinder(key);
  const headers = Object.entries(parts.headers).filter(
    ([, value]) => ![value ?? []].flat().some(hasKey),
  );
  const query = parts.target.query.filter(([, value]) => !hasKey(value));
  const target = { ...parts.target, query };
  return parsedRequest(request, { ...parts, target, headers: Object.fromEntries(headers) });
}

/**
 * The request for an error handler, if it has no valid key. Clients send keys under all kinds of
 * names, so it is redacted as in the journal, with a body of at most 64 KiB.
 */
export function redactedHandlerRequest(request: ServiceRequest): HandlerRequest {
  return parsedRequest(request, redacted(request, request.service.mock.redactor));
}

function parsedRequest(
  { raw, operation }: ServiceRequest,
  { target, headers, body, text }: Parts,
): HandlerRequest {
  const definedHeaders = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const { path, segments, query } = target;
  const params = (operation?.segments ?? []).flatMap((segment, at) =>
    'parameter' in segment ? [[segment.parameter, segments[at] ?? ''] as const] : [],
  );
  return {
    method: raw.method ?? '',
    path,
    params: Object.fromEntries(params),
    query: fieldsOf(query),
    headers: Object.fromEntries(definedHeaders),
    body: parsedBody(text, raw.headers['content-type']),
    rawBody: body,
  };
}

interface Parts {
  readonly target: Pick<RequestTarget, 'path' | 'segments' | 'query'>;
  readonly headers: RequestHeaders;
  readonly body: Buffer;
  readonly text: string;
}

const NO_TARGET = { path: '/', segments: [], query: [] };

function partsOf({ raw, record, target, body: whole }: ServiceRequest, body = whole): Parts {
  const text = bodyText(body, raw.headers['content-type']);
  return { target: target ?? NO_TARGET, headers: record.headers, body, text };
}

function redacted(request: ServiceRequest, redactor: Redactor): Parts {
  const { body } = request;
  const bodyCut = body.length > MAX_BODY_BYTES;
  const { target, headers, text } = partsOf(request, body.subarray(0, MAX_BODY_BYTES));
  const { path, query } = target;
  const operation = request.operation?.name ?? null;
  const entry = redactor.redactRequest({ headers, path, operation, query, body: text, bodyCut });
  return {
    target: { ...(parseTarget(entry.path ?? '') ?? NO_TARGET), query: pairsOf(entry.query) },
    headers: entry.headers,
    // Keeps bytes that are not text.
    body: entry.body === text && !bodyCut ? body : Buffer.from(entry.body),
    text: entry.body,
  };
}

/**
 * The maximum length of the body in bytes, if a handler or a request schema reads it; otherwise
 * `undefined`.
 */
export function maxBodyLength({ operation, service }: ServiceRequest): number | undefined {
  if (operation === undefined) return undefined;
  if (operation.requestSchema !== undefined) return MAX_CHECKED_BYTES;
  const isHandled =
    service.mock.handlers.has(operation.name) ||
    [operation.default, ...operation.variants.values()].some((fixture) => 'handler' in fixture);
  return isHandled ? MAX_GIVEN_BYTES : undefined;
}

/**
 * Checks a request before it is counted or uses a scripted response for it.
 *
 * @param key `undefined` for a request without a key to an open operation
 */
export function checkContent(request: ServiceRequest, key: string | undefined): Checked {
  const { operation, body } = request;
  if (operation === undefined) return ACCEPTED;
  const isRead = body.length > 0 && maxBodyLength(request) !== undefined;
  const { bodyProblem } = request;
  const exceeded =
    bodyProblem === undefined
      ? exceededLimit(request, isRead)
      : { path: 'body', message: bodyProblem };
  if (exceeded !== undefined) {
    return { problems: [exceeded], detail: `${exceeded.path} ${exceeded.message}` };
  }
  const { requestSchema } = operation;
  if (requestSchema === undefined) return ACCEPTED;
  const problems = requestSchema.violations(handlerRequest(request, key), body.length);
  return { problems, detail: placesOf(problems, request, requestSchema.schema) };
}

/** The places of problems. Names that are not in the schema become `…`: a client may have sent them. */
function placesOf(
  problems: readonly RequestViolation[],
  { service }: ServiceRequest,
  schema: unknown,
): string {
  const isNamed = isNamedIn({ query: 0, headers: 0, body: 0, schema });
  const places = problems.map(({ path }) => {
    const names = path.replaceAll(/\[\d+\]/g, '').split('.');
    const shownNames = names.map((name) => (isNamed(name) ? name : '…'));
    return service.mock.redactor.loggablePath(shownNames).slice(1).replaceAll('/', '.');
  });
  return [...new Set(places)].join(', ');
}

/**
 * The violation if a request has too many fields, or JSON with too many levels. Assumed: the contract
 * states no limits.
 *
 * @param isRead whether a handler or a request schema reads its body
 */
function exceededLimit(
  { target, raw, body }: ServiceRequest,
  isRead: boolean,
): RequestViolation | undefined {
  const tooMany = `must have at most ${MAX_FIELDS} fields`;
  if (target !== undefined && target.query.length > MAX_FIELDS) {
    return { path: 'query', message: tooMany };
  }
  if (!isRead) return undefined;
  const type = raw.headers['content-type'];
  const text = bodyText(body, type);
  if (isJson(text, type) && isTooDeep(text)) return { path: 'body', message: TOO_DEEP };
  const isLong = isForm(type) && text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS;
  return isLong ? { path: 'body', message: tooMany } : undefined;
}

/**
 * The parsed body. Assumed: JSON is parsed whatever its content type, because clients send wrong
 * types: `curl -d` declares a form.
 */
function parsedBody(text: string, type: string | undefined): unknown {
  if (text === '') return undefined;
  if (isJson(text, type)) {
    try {
      return JSON.parse(text);
    } catch {
      // A body that is not valid JSON is text, or a form.
    }
  }
  return isForm(type) ? fieldsOf(new URLSearchParams(text)) : text;
}

function isJson(text: string, type = ''): boolean {
  return /^[^;]*[/+]json\b/i.test(type) || /^\s*[{[]/.test(text);
}

function isForm(type = ''): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(type);
}
