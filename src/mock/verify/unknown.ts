import type { Difference } from '../journal/filter.ts';
import { hidesFields, isBodyCut } from '../journal/record.ts';
import { isNumber } from '../json/exact-json.ts';
import { MAX_BODY_BYTES, MAX_FIELDS } from '../limits.ts';
import { REDACTED, type Redactor } from '../redaction/redaction.ts';
import { allDifferences, parsedBody } from './difference.ts';
import type { AnyExpectation } from './expectation.ts';
import { countOf, hasEnded, type VerifiedEntry, type Words } from './subject.ts';

/** Why the journal cannot tell whether some entries match, and what to do, each in one line. */
const UNKNOWN = {
  'body-cut': (entries: string) =>
    `The body of ${entries} was cut at ${MAX_BODY_BYTES / 1024} KiB. Send a shorter body, or leave body out of the expectation.`,
  'body-encoded': (entries: string) =>
    `The body of ${entries} cannot be decoded. Send it in an encoding that the mock knows, or leave body out of the expectation.`,
  'not-utf8': (entries: string) =>
    `The body of ${entries} is not UTF-8. Leave out what the expectation compares with other bytes.`,
  'query-cut': (entries: string) =>
    `The query of ${entries} was cut at ${MAX_FIELDS} parameters. Send fewer, or leave query out of the expectation.`,
  redacted: (entries: string) =>
    `The journal redacted what is compared in ${entries}. Expect what the journal shows, or leave it out.`,
  'in-flight': (entries: string, isOne: boolean) =>
    `${entries} ${isOne ? 'is' : 'are'} still in flight. Set timeout to wait for ${isOne ? 'its' : 'their'} end.`,
};

export type Unknown = keyof typeof UNKNOWN;

/** Faults that send no status line. */
const WITHOUT_STATUS: readonly unknown[] = ['reset', 'close', 'hang'];

/**
 * Whether an entry matches an expectation, or why the journal cannot tell: it matches all that the
 * journal has of the entry.
 */
export function matchOf(
  entry: VerifiedEntry,
  expectation: AnyExpectation,
  redactor: Redactor,
): boolean | Unknown {
  let unknown: Unknown | undefined;
  for (const difference of allDifferences(entry, expectation)) {
    const reason = unknownIn(entry, expectation, difference, redactor);
    if (reason === undefined) return false;
    unknown ??= reason;
  }
  return unknown ?? true;
}

function unknownIn(
  entry: VerifiedEntry,
  { status, ended }: AnyExpectation,
  { field, expected, received }: Difference,
  redactor: Redactor,
): Unknown | undefined {
  const isPending = !hasEnded(entry) && entry.status === null;
  const [part] = field.split(/[.[]/, 1);
  switch (part) {
    case 'status':
      return isPending && !WITHOUT_STATUS.includes(entry.fault) ? 'in-flight' : undefined;
    case 'ended':
      return isPending && status === null && ended === undefined ? 'in-flight' : undefined;
    case 'reason':
    case 'fault':
      return isPending && (entry.source ?? null) === null ? 'in-flight' : undefined;
    case 'path':
      return isPath(entry, `${expected}`, redactor) ? 'redacted' : undefined;
    case 'url':
      return couldBe(`${received}`, `${expected}`) ||
        couldBe(`${received}`.split('?', 1)[0] ?? '', `${expected}`)
        ? 'redacted'
        : undefined;
    case 'query':
      if (Object.values(entry.query ?? {}).flat().length >= MAX_FIELDS) return 'query-cut';
      return isHidden(received, expected, JSON.stringify(entry.query)) ? 'redacted' : undefined;
    case 'headers':
      return isHidden(received, expected, JSON.stringify(entry.headers)) ? 'redacted' : undefined;
    case 'body':
      return unknownInBody(entry, field, expected, received);
    default:
      return undefined;
  }
}

function unknownInBody(
  entry: VerifiedEntry,
  field: string,
  expected: unknown,
  received: unknown,
): Unknown | undefined {
  const { body, source } = entry;
  if (isBodyCut(entry)) return body === '' ? 'body-encoded' : 'body-cut';
  if (body === REDACTED) return 'redacted';
  if (hidesFields(entry) && (received === undefined || field === 'body')) return 'redacted';
  if (body === '' && !hasEnded(entry) && source === null) return 'in-flight';
  if (typeof expected === 'string' && field === 'body' && received === body) {
    // ASCII is found between bytes of any other encoding.
    return body.includes('\uFFFD') && /[^\0-\x7f]/.test(expected) ? 'not-utf8' : undefined;
  }
  const { value, isForm } = parsedBody(entry);
  if (!isHidden(received, expected, isForm ? JSON.stringify(value) : body)) return undefined;
  return `${received}`.includes('\uFFFD') ? 'not-utf8' : 'redacted';
}

/** Whether a value, or its name, may be the expected one without what the journal replaced in it. */
function isHidden(received: unknown, expected: unknown, json = ''): boolean {
  if (received === undefined) return /\[redacted\][^"]*":/.test(json);
  const isText = typeof expected === 'string' || isNumber(expected);
  return typeof received === 'string' && isText && couldBe(received, `${expected}`);
}

/** Whether a text would be shown as another one. */
function couldBe(shown: string, text: string): boolean {
  const [first = '', ...others] = shown.split(/\[redacted\]|\uFFFD+/);
  const last = others.pop();
  if (last === undefined || !text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** The journal shows a path without an operation like the log, with `…` for most segments. */
function isPath({ path, operation }: VerifiedEntry, expected: string, redactor: Redactor): boolean {
  if (path === undefined || path === null) return false;
  if (couldBe(path, expected)) return true;
  return operation === null && redactor.loggablePath(expected.slice(1).split('/')) === path;
}

export function unknownLine(unknown: Unknown, count: number, words: Words): string {
  return UNKNOWN[unknown](countOf(words, count), count === 1);
}

export function droppedLine(count: number, words: Words): string {
  return `The journal removed ${countOf(words, count, 'older ')} to make room. Raise MOMO_MOCK_JOURNAL_SIZE or MOMO_MOCK_JOURNAL_BYTES, or clear the journal first.`;
}
