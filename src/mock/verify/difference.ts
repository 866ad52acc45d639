import { type Difference, differences } from '../journal/filter.ts';
import type { FilteredFields } from '../journal/record.ts';
import { isNumber, isSameNumber, parseExact } from '../json/exact-json.ts';
import type { AnyExpectation } from './expectation.ts';
import type { VerifiedEntry } from './subject.ts';

/** What an expectation is compared with. */
type Comparable = FilteredFields & Pick<VerifiedEntry, 'query' | 'headers' | 'body'>;

export function* allDifferences(
  entry: Comparable,
  expectation: AnyExpectation,
): Generator<Difference, void> {
  const { query, headers = {}, body } = expectation;
  yield* differences(entry, expectation);
  if (query !== undefined) yield* contained(entry.query, query, 'query');
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  yield* contained(entry.headers, Object.fromEntries(lowerCase), 'headers');
  if (typeof body !== 'string') {
    if (body !== undefined) yield* contained(parsedBody(entry), body, 'body');
  } else if (!entry.body.includes(body)) {
    yield { field: 'body', expected: body, received: entry.body };
  }
}

/** Parses each body once, although up to 100 expectations may read it. */
const bodies = new WeakMap<object, unknown>();

/** The value of a JSON body, or any other body as text. */
function parsedBody(entry: Comparable): unknown {
  if (bodies.has(entry)) return bodies.get(entry);
  let body: unknown = entry.body;
  try {
    body = parseExact(entry.body);
  } catch {}
  bodies.set(entry, body);
  return body;
}

/**
 * How a value differs from the expected one. Objects may have more fields, but lists no more items.
 */
export function* contained(
  received: unknown,
  expected: unknown,
  field: string,
): Generator<Difference, void> {
  if (isNumber(expected) && isNumber(received)) {
    if (!isSameNumber(received, expected)) yield { field, expected, received };
    return;
  }
  const isList = Array.isArray(expected);
  if (!isObject(expected) || !isObject(received) || Array.isArray(received) !== isList) {
    if (!Object.is(received, expected)) yield { field, expected, received };
    return;
  }
  if (isList && received.length !== expected.length) {
    yield { field: `${field}.length`, expected: expected.length, received: received.length };
    return;
  }
  for (const [name, value] of Object.entries(expected)) {
    const receivedValue = Object.hasOwn(received, name) ? received[name] : undefined;
    yield* contained(receivedValue, value, isList ? `${field}[${name}]` : `${field}.${name}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !isNumber(value);
}
