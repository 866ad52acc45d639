import { isTooDeep, TOO_DEEP } from '../mock/json/json-of.ts';
import { MAX_BODY_BYTES, MAX_CHECKED_BYTES, MAX_FIELDS, MAX_GIVEN_BYTES } from '../mock/limits.ts';
import type { HandlerRequest } from '../mock/operations/handler.ts';
import { bodyText } from '../mock/requests/body-text.ts';
import { formFields, hasTooManyFields, isJson } from '../mock/requests/form.ts';
import { keyFinder } from '../mock/requests/key-rule.ts';
import type { RequestViolation } from '../mock/requests/request-schema.ts';
import { fieldsOf, parseTarget, type RequestTarget } from '../mock/requests/request-target.ts';
import { isNamedIn } from '../mock/responses/given-body.ts';
import type { ServiceRequest } from './request.ts';

export interface Checked {
  readonly problems: readonly RequestViolation[];
  /** The places of the problems, for the journal. */
  readonly detail: string;
}

export const ACCEPTED: Checked = { problems: [], detail: '' };

/**
 * The request for a handler or a request schema: with a parsed body, and without all headers and
 * query parameters that contain the account's key, or a token.
 */
export function handlerRequest(
  request: ServiceRequest,
  key: string | undefined = request.account?.initial?.key,
): HandlerRequest {
  const { raw, record, target = NO_TARGET, body: rawBody, credentials } = request;
  const secrets = [key, credentials?.token].filter((secret) => secret !== undefined);
  const finders = secrets.map(keyFinder);
  const hasKey = (value: string) => finders.some((find) => find(value));
  const headers = Object.entries(record.headers).flatMap(([name, value]) =>
    value === undefined || [value].flat().some(hasKey) ? [] : [[name, value] as const],
  );
  return parsedRequest(request, target, bodyText(rawBody, raw.headers['content-type']), {
    query: fieldsOf(target.query.filter(([, value]) => !hasKey(value))),
    headers: Object.fromEntries(headers),
    rawBody,
  });
}

/**
 * The request for an error handler, if it has no valid key. Clients send keys under all kinds of
 * names, so it is redacted as in the journal, with a body of at most 64 KiB.
 */
export function redactedHandlerRequest(request: ServiceRequest): HandlerRequest {
  const { raw, record, target = NO_TARGET, operation, body, service } = request;
  const bodyCut = body.length > MAX_BODY_BYTES;
  const text = bodyText(body.subarray(0, MAX_BODY_BYTES), raw.headers['content-type']);
  const redacted = service.mock.redactor.redactRequest({
    headers: record.headers,
    path: target.path,
    operation: operation?.name ?? null,
    query: target.query,
    body: text,
    bodyCut,
  });
  return parsedRequest(request, parseTarget(redacted.path ?? '') ?? NO_TARGET, redacted.body, {
    query: redacted.query,
    headers: redacted.headers,
    // Keeps bytes that are not text.
    rawBody: redacted.body === text && !bodyCut ? body : Buffer.from(redacted.body),
  });
}

function parsedRequest(
  { raw, operation }: ServiceRequest,
  { path, segments }: Pick<RequestTarget, 'path' | 'segments'>,
  text: string,
  parts: Pick<HandlerRequest, 'query' | 'headers' | 'rawBody'>,
): HandlerRequest {
  const params = (operation?.segments ?? []).flatMap((segment, at) =>
    'parameter' in segment ? [[segment.parameter, segments[at] ?? ''] as const] : [],
  );
  return {
    method: raw.method ?? '',
    path,
    params: Object.fromEntries(params),
    body: parsedBody(text, raw.headers['content-type']),
    ...parts,
  };
}

const NO_TARGET = { path: '/', segments: [], query: [] };

/** The maximum length of the body in bytes, if a handler or a request schema reads it. */
export function maxBodyLength({ operation }: ServiceRequest): number | undefined {
  if (operation === undefined) return undefined;
  if (operation.requestSchema !== undefined) return MAX_CHECKED_BYTES;
  const fixtures = [operation.default, ...operation.variants.values()];
  return fixtures.some((fixture) => 'handler' in fixture) ? MAX_GIVEN_BYTES : undefined;
}

/** @param key `undefined` for a request without a key to an open operation */
export function checkContent(request: ServiceRequest, key: string | undefined): Checked {
  const { operation, body } = request;
  if (operation === undefined) return ACCEPTED;
  const exceeded = exceededLimit(request);
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
 * The violation if a body cannot be decoded, or a request has too many fields, or JSON with too many
 * levels. Assumed: the contract states no limits.
 */
function exceededLimit(request: ServiceRequest): RequestViolation | undefined {
  const { target, raw, body, bodyProblem } = request;
  if (bodyProblem !== undefined) return { path: 'body', message: bodyProblem };
  const tooMany = `must have at most ${MAX_FIELDS} fields`;
  if (target !== undefined && target.query.length > MAX_FIELDS) {
    return { path: 'query', message: tooMany };
  }
  if (body.length === 0 || maxBodyLength(request) === undefined) return undefined;
  const type = raw.headers['content-type'];
  const text = bodyText(body, type);
  if (isJson(text, type) && isTooDeep(text)) return { path: 'body', message: TOO_DEEP };
  return hasTooManyFields(text, type) ? { path: 'body', message: tooMany } : undefined;
}

function parsedBody(text: string, type: string | undefined): unknown {
  if (text === '') return undefined;
  if (isJson(text, type)) {
    try {
      return JSON.parse(text);
    } catch {
      // A body that is not valid JSON is text, or a form.
    }
  }
  return formFields(text, type) ?? text;
}
