import { invalid } from '../../errors.ts';
import { type Filter, fieldOf, type Place } from '../journal/filter.ts';
import { isNumber } from '../json/exact-json.ts';
import { findOperation, type Operation, pathForm } from '../operations/operation.ts';
import { REDACTED, type Redactor } from '../redaction/redaction.ts';
import { isHttpUrl } from '../webhooks/webhook-url.ts';
import { type AnyExpectation, type AnyExpected, stepsOf } from './expectation.ts';

export interface PossibleContext {
  readonly operations: readonly Operation[];
  readonly redactor: Redactor;
  /** Whether the journal has a record that matches, such as one of an operation before a reload. */
  readonly has: (filter: Filter) => boolean;
  /** Whether a filter waits for what may still come. @default false */
  readonly isWait?: boolean;
  /** Of the expectation, for errors. @default the field alone */
  readonly place?: string;
}

/** Other methods are known if an operation has them. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

/** The journal shows it for the segments of an unknown path that may be secrets. */
const HIDDEN_SEGMENT = '…';
const HIDDEN = `${REDACTED} and ${HIDDEN_SEGMENT} only stand for what the journal hides. Expect the value itself`;
const PATH = /^\/([^?#%]|%[\da-f]{2})*$/i;
/** RFC 9110, the letters of a token. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Refuses expectations and filters that nothing can match: without an error, "did not happen" would
 * always be verified.
 */
export function checkPossible(expected: AnyExpected, context: PossibleContext): void {
  const list = 'exactly' in expected ? 'exactly' : 'expected';
  for (const [index, step] of stepsOf(expected).entries()) {
    checkStep(step, step === expected ? (context.place ?? '') : `${list}[${index}]`, context);
  }
}

function checkStep(step: AnyExpectation, item: string, context: PossibleContext): void {
  const { method = 'GET', operation, path, url, headers = {} } = step;
  const { operations, redactor, has, isWait = false } = context;
  const at = (field: string) => (item === '' ? field : `${item}.${field}`);
  const hidden = hiddenPlace(step);
  if (hidden !== undefined) throw invalid(at(redactor.redact(fieldOf(hidden))), HIDDEN);
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

/** The first place that has what the journal shows instead of something else. */
function hiddenPlace(value: unknown, place?: Place): Place | undefined {
  const isHidden = (text: string) => text.includes(REDACTED);
  if (typeof value === 'string') {
    const isPath = place?.length === 1 && place[0] === 'path';
    return isHidden(value) || (isPath && value.split('/').includes(HIDDEN_SEGMENT))
      ? place
      : undefined;
  }
  if (typeof value !== 'object' || value === null || isNumber(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (isHidden(name)) return place;
    const next = Array.isArray(value) ? Number(name) : name;
    const found = hiddenPlace(member, place === undefined ? [name] : [...place, next]);
    if (found !== undefined) return found;
  }
  return undefined;
}
