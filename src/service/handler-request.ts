import type { HandlerRequest } from '../mock/handler.ts';
import { isTooDeep, TOO_DEEP } from '../mock/json-of.ts';
import { LONGEST_BODY, MOST_FIELDS } from '../mock/limits.ts';
import type { Operation } from '../mock/operation.ts';
import type { Redactor } from '../mock/redaction/redaction.ts';
import { isKeyHeader, PARAMETER } from '../mock/redaction/secret-names.ts';
import type { RequestViolation } from '../mock/request-schema.ts';
import type { RequestTarget } from '../mock/request-target.ts';

/** The parts of a request from which a handler gets its own. */
export interface RequestSource {
  readonly method: string;
  readonly target: Pick<RequestTarget, 'segments' | 'query'>;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** The operation, which names the path parameters; `undefined` for an unknown path. */
  readonly operation: Operation | undefined;
}

type Fields = Record<string, string | readonly string[]>;

/** The request as a handler gets it: without the API key, and with a parsed body. */
export function handlerRequest(source: RequestSource): HandlerRequest {
  const { method, target, headers, body, operation } = source;
  const kept: Fields = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !isKeyHeader(name)) kept[name] = value;
  }
  return {
    method,
    path: `/${target.segments.join('/')}`,
    params: paramsOf(target, operation),
    query: fieldsOf(target.query.filter(([name]) => name !== PARAMETER)),
    headers: kept,
    body: parsedBody(body, `${headers['content-type'] ?? ''}`),
    rawBody: body,
  };
}

/**
 * A request that has no valid key, as the journal shows it: clients send keys under all kinds of names,
 * and a handler of an error must not see one. Its body is cut at 64 KiB, as in the journal.
 */
export function withoutSecrets(source: RequestSource, redactor: Redactor): RequestSource {
  const { target, headers, body, operation } = source;
  const isCut = body.length > LONGEST_BODY;
  const text = body.subarray(0, LONGEST_BODY).toString();
  const shown = redactor.redactRequest({
    headers,
    path: target.segments.join('/'),
    operation: operation?.name ?? null,
    query: target.query,
    body: text,
    bodyCut: isCut,
  });
  const query = Object.entries(shown.query).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as const),
  );
  return {
    ...source,
    target: { segments: (shown.path ?? '').split('/'), query },
    headers: shown.headers,
    // Bytes that are no text stay as they are.
    body: shown.body === text && !isCut ? body : Buffer.from(shown.body),
  };
}

function paramsOf(
  { segments }: RequestSource['target'],
  operation?: Operation,
): Record<string, string> {
  const pairs = (operation?.segments ?? []).flatMap((segment, at) =>
    'parameter' in segment ? [[segment.parameter, segments[at] ?? ''] as const] : [],
  );
  return Object.fromEntries(pairs);
}

/**
 * The limit that the fields or the JSON of a request exceed, if any. Assumed: the contract states no
 * limits.
 *
 * @param isRead whether a handler or a request schema reads its body
 */
export function exceededLimit(
  { target, headers, body }: Pick<RequestSource, 'target' | 'headers' | 'body'>,
  isRead: boolean,
): RequestViolation | undefined {
  const tooMany = `must have at most ${MOST_FIELDS} fields`;
  if (target.query.length > MOST_FIELDS) return { path: 'query', message: tooMany };
  if (!isRead) return undefined;
  const text = body.toString();
  const type = `${headers['content-type'] ?? ''}`;
  if (isJson(text, type) && isTooDeep(text)) return { path: 'body', message: TOO_DEEP };
  const isLong = isForm(type) && text.split('&', MOST_FIELDS + 1).length > MOST_FIELDS;
  return isLong ? { path: 'body', message: tooMany } : undefined;
}

/** The fields of a query or a form. A repeated one is a list. */
function fieldsOf(pairs: Iterable<readonly [name: string, value: string]>): Fields {
  const fields = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const list = fields.get(name);
    if (list === undefined) fields.set(name, [value]);
    else list.push(value);
  }
  return Object.fromEntries(
    Array.from(fields, ([name, list]) => [name, list.length === 1 ? (list[0] ?? '') : list]),
  );
}

/**
 * The body as a value. Assumed: JSON is read as such whatever its content type, because clients send
 * wrong ones: `curl -d` calls it a form.
 */
function parsedBody(bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString();
  if (isJson(text, type)) {
    try {
      return JSON.parse(text);
    } catch {
      // A body that is not valid JSON is text, or a form.
    }
  }
  return isForm(type) ? fieldsOf(new URLSearchParams(text)) : text;
}

function isJson(text: string, type: string): boolean {
  return /^[^;]*[/+]json\b/i.test(type) || /^\s*[{[]/.test(text);
}

function isForm(type: string): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(type);
}
