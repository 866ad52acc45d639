import type { Expectation } from './expectation.ts';
import type { JournalEntry } from './journal-entry.ts';

/** A field of a request that is not as expected. */
export interface Difference {
  /** The name of the field, such as `status`, `query.page` or `body.items[0].amount`. */
  readonly field: string;
  readonly expected: unknown;
  /** `undefined` if the request does not have the field. */
  readonly received: unknown;
}

/**
 * Whether a request counts at all. The preflight of a browser only counts if the method is expected,
 * and a connection that sent no request only if a reason is expected.
 */
export function counts(entry: JournalEntry, { method, reason }: Expectation): boolean {
  if (entry.source === 'preflight') return method !== undefined;
  return entry.method !== null || reason !== undefined;
}

/** The fields of a request that are not as expected, in the order of {@link Expectation}. */
export function* differences(
  entry: JournalEntry,
  expectation: Expectation,
): Generator<Difference, void> {
  const { method, path, operation, status, reason, query = {}, headers = {} } = expectation;
  const plain = { method: method?.toUpperCase(), operation, status, reason };
  for (const [field, expected] of Object.entries(plain)) {
    const received = entry[field as keyof typeof plain];
    if (expected !== undefined && received !== expected) yield { field, expected, received };
  }
  const isPath = entry.path === path || entry.operation?.endsWith(` ${path}`);
  if (path !== undefined && !isPath) yield { field: 'path', expected: path, received: entry.path };
  yield* contained(entry.query, query, 'query');
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  yield* contained(entry.headers, Object.fromEntries(lowerCase), 'headers');
  if (expectation.body !== undefined) yield* inBody(entry.body, expectation.body);
}

function* inBody(text: string, expected: unknown): Generator<Difference, void> {
  if (typeof expected === 'string') {
    if (!text.includes(expected)) yield { field: 'body', expected, received: text };
    return;
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = text;
  }
  yield* contained(body, expected, 'body');
}

/** What a value lacks of the expected one: of an object the given fields, of a list all items. */
function* contained(
  received: unknown,
  expected: unknown,
  field: string,
): Generator<Difference, void> {
  const [list, names] = [Array.isArray(expected), Object.entries(Object(expected))];
  const isSameKind = isObject(expected) && isObject(received) && Array.isArray(received) === list;
  if (!isSameKind) {
    if (!Object.is(received, expected)) yield { field, expected, received };
    return;
  }
  if (list && received.length !== expected.length) {
    yield { field: `${field}.length`, expected: expected.length, received: received.length };
    return;
  }
  for (const [name, value] of names) {
    const own = Object.hasOwn(received, name) ? received[name] : undefined;
    yield* contained(own, value, list ? `${field}[${name}]` : `${field}.${name}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
