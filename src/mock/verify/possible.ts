import { invalid } from '../../errors.ts';
import type { Filter } from '../journal/filter.ts';
import { parseExact, writeJson } from '../json/exact-json.ts';
import { parsedJson } from '../json/json-of.ts';
import { findOperation } from '../operations/find-operation.ts';
import { type Operation, pathForm } from '../operations/operation.ts';
import { REDACTED, type Redactor } from '../redaction/redaction.ts';
import { fieldsOf, type Pair, pairsOf } from '../requests/request-target.ts';
import { isHttpUrl, urlParts } from '../webhooks/webhook-url.ts';
import { contained } from './contained.ts';
import { type AnyExpectation, type AnyExpected, stepsOf } from './expectation.ts';

export interface PossibleContext {
  readonly operations: readonly Operation[];
  readonly redactor: Redactor;
  /** Whether the journal has a record that matches, such as one of an operation before a reload. */
  readonly has: (filter: Filter) => boolean;
  /** A filter compares what was sent, so that it never finds `[redacted]`. */
  readonly isFilter?: boolean;
  /** Whether a filter waits for what may still come. @default false */
  readonly isWait?: boolean;
  /** Of the expectation, for errors. @default the field alone */
  readonly place?: string;
}

/** Other methods are known if an operation has them. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

const SECRET = 'is a secret, which the journal does not show';
const PATH = /^\/([^?#%]|%[\da-f]{2})*$/i;
/** RFC 9110, the letters of a token. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Refuses expectations and filters that nothing can match: without an error, "did not happen" would
 * always be verified.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_OPERATION_UNKNOWN`
 */
export function checkPossible(expected: AnyExpected, context: PossibleContext): void {
  const list = 'exactly' in expected ? 'exactly' : 'expected';
  for (const [index, step] of stepsOf(expected).entries()) {
    checkStep(step, step === expected ? (context.place ?? '') : `${list}[${index}]`, context);
  }
}

function checkStep(step: AnyExpectation, item: string, context: PossibleContext): void {
  const { method = 'GET', operation, path, url, headers = {} } = step;
  const { operations, redactor, has, isFilter = false, isWait = false } = context;
  const at = (field: string) => (item === '' ? field : `${item}.${field}`);
  const secret = secretPlace(step, context);
  if (secret !== undefined) {
    const advice = isFilter ? 'Leave it out' : `Leave it out, or expect "${REDACTED}"`;
    throw invalid(at(redactor.redact(secret)), `${SECRET}. ${advice}`);
  }
  const upper = method.toUpperCase();
  const known = [...METHODS, ...operations.map(({ method }) => method)];
  if (!known.includes(upper) && !has({ method: upper })) {
    throw invalid(at('method'), 'must be an HTTP method, such as GET');
  }
  if (operation !== undefined && !operations.some(({ name }) => name === operation)) {
    const place = item === '' ? undefined : `the operation of ${item}`;
    if (!has({ operation })) findOperation(operations, operation, place);
  }
  if (path !== undefined && !isPossiblePath(path, context)) {
    const form = pathForm(path);
    const similar = operations.find(({ template }) => pathForm(template) === form);
    throw invalid(
      at('path'),
      similar === undefined
        ? 'must begin with a slash, without a query; a parameter must be as in the operation. Write ? as %3F, and % as %25'
        : `no operation has it in this form. Did you mean "${similar.template}"?`,
    );
  }
  if (url !== undefined && !isHttpUrl(url) && !isWait && !has({ url })) {
    throw invalid(at('url'), 'must begin with http:// or https://, as webhooks are sent');
  }
  if (!Object.keys(headers).every((name) => HEADER_NAME.test(name))) {
    throw invalid(at('headers'), 'a name has a character that no header name can have');
  }
}

function isPossiblePath(path: string, { operations, has }: PossibleContext): boolean {
  if (operations.some(({ template }) => template === path)) return true;
  return PATH.test(path) && (pathForm(path) === path.toLowerCase() || has({ path }));
}

/** The first place with a value that the journal redacts, by its name or by its value. */
function secretPlace(
  { url, path, query = {}, headers = {}, body }: AnyExpectation,
  { redactor, operations, isFilter = false }: PossibleContext,
): string | undefined {
  const { base, query: pairs } = urlParts(url ?? '');
  const request = {
    headers,
    path: path ?? base,
    // The words of operations are not redacted in a path.
    operation: path === undefined ? null : operations.map(({ name }) => name).join(' '),
    query: [...pairs, ...pairsOf(query)],
    body: typeof body === 'string' ? body : (writeJson(body) ?? ''),
  };
  const found = (text: string) => (isFilter ? text.replaceAll(REDACTED, '') : text);
  const foundIn = (pairs: readonly Pair[]) =>
    fieldsOf(pairs.map(([name, value]) => [name, found(value)]));
  const bodyOf = (text: string) => (typeof body === 'string' ? text : parsedJson(text, parseExact));
  const given = {
    path: found(request.path),
    query: foundIn(request.query),
    headers: foundIn(pairsOf(headers)),
    body: body === undefined ? undefined : bodyOf(found(request.body)),
  };
  const shown = redactor.redactRequest(request);
  const [difference] = contained({ ...shown, body: bodyOf(shown.body) }, given, '');
  if (difference === undefined) return undefined;
  const [, part = ''] = difference.field.split('.');
  // Without a value, its name is the secret.
  const place = difference.received === undefined ? part : difference.field.slice(1);
  return url === undefined ? place : place.replace(/^(path|query)/, 'url');
}
