import { invalid } from '../../errors.ts';
import { isHttpUrl, urlParts } from '../callbacks/callback-url.ts';
import { findOperation } from '../find-operation.ts';
import type { Filter } from '../journal/filter.ts';
import { type Operation, pathForm } from '../operation.ts';
import { REDACTED, type Redactor } from '../redaction/redaction.ts';
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
  const { redactor, isFilter = false } = context;
  const list = 'exactly' in expected ? 'exactly' : 'expected';
  for (const [index, step] of stepsOf(expected).entries()) {
    const item = step === expected ? '' : `${list}[${index}]`;
    const prefix = item && `${item}.`;
    const place = secretPlace(step, context);
    if (place !== undefined) {
      const advice = isFilter ? 'Leave it out' : `Leave it out, or expect "${REDACTED}"`;
      throw invalid(`${prefix}${redactor.redact(place)}`, `${SECRET}. ${advice}`);
    }
    checkPlace(step, item, context);
    for (const name of Object.keys(step.headers ?? {})) {
      if (HEADER_NAME.test(name)) continue;
      throw invalid(`${prefix}headers`, 'a name has a character that no header name can have');
    }
  }
}

function checkPlace(
  { method, operation, path, url }: AnyExpectation,
  item: string,
  { operations, has, isWait = false }: PossibleContext,
): void {
  const prefix = item && `${item}.`;
  const upper = method?.toUpperCase() ?? 'GET';
  const known = [...METHODS, ...operations.map(({ method }) => method)];
  if (!known.includes(upper) && !has({ method: upper })) {
    throw invalid(`${prefix}method`, 'must be an HTTP method, such as GET');
  }
  if (operation !== undefined && !operations.some(({ name }) => name === operation)) {
    const place = item === '' ? undefined : `the operation of ${item}`;
    if (!has({ operation })) findOperation(operations, operation, place);
  }
  if (
    path !== undefined &&
    !(isPossiblePath(path, operations) || (PATH.test(path) && has({ path })))
  ) {
    const form = pathForm(path);
    const template = operations.find(
      (operation) => pathForm(operation.template) === form,
    )?.template;
    throw invalid(
      `${prefix}path`,
      template === undefined
        ? 'must begin with a slash, without a query; a parameter must be as in the operation. Write ? as %3F, and % as %25'
        : `no operation has it in this form. Did you mean "${template}"?`,
    );
  }
  if (url !== undefined && !isHttpUrl(url) && !isWait && !has({ url })) {
    throw invalid(`${prefix}url`, 'must begin with http:// or https://, as callbacks are sent');
  }
}

function isPossiblePath(path: string, operations: readonly Operation[]): boolean {
  if (operations.some(({ template }) => template === path)) return true;
  return PATH.test(path) && pathForm(path) === path.toLowerCase();
}

/** The first place with a value that the journal redacts, by its name or by its value. */
function secretPlace(
  { url = '', path, query = {}, headers = {}, body }: AnyExpectation,
  { redactor, operations, isFilter = false }: PossibleContext,
): string | undefined {
  const { base, query: pairs } = urlParts(url);
  // The words of operations are not redacted in a path.
  const words = operations.map(({ name }) => name).join(' ');
  const shown = (path: string | undefined, body: string) =>
    redactor.redactRequest({
      headers: {},
      path: path ?? null,
      operation: words,
      query: [],
      body,
      bodyCut: false,
    });
  const isHidden = (text: string) =>
    (isFilter && text.includes(REDACTED)) ||
    redactor.redactJson(JSON.stringify(text)) !== JSON.stringify(text);
  const find = (value: unknown, place: string): string | undefined => {
    if (typeof value === 'string' || typeof value === 'number') {
      return isHidden(`${value}`) ? place : undefined;
    }
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, item] of Object.entries(value)) {
      const isList = Array.isArray(value);
      const at = isList ? `${place}[${name}]` : `${place}.${name}`;
      if (!isList && isHidden(name)) return place;
      const isShown = [item].flat().every((one) => one === REDACTED);
      const isSecret = !isList && redactor.isSecretName(name) && !isShown;
      const found = isSecret ? at : find(item, at);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  if (
    path !== undefined &&
    (shown(path, '').path !== path || (isFilter && path.includes(REDACTED)))
  ) {
    return 'path';
  }
  if (isHidden(base)) return 'url';
  if (typeof body === 'string' && shown(undefined, body).body !== body) return 'body';
  return (
    find(Object.fromEntries(pairs), 'url') ??
    find(query, 'query') ??
    find(headers, 'headers') ??
    find(body, 'body')
  );
}
