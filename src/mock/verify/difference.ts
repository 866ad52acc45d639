import { isUrl, redactedUrl } from '../callbacks/callback-url.ts';
import type { AnyExpectation } from './expectation.ts';
import type { VerifiedEntry } from './subject.ts';

export interface Difference {
  /** The name of the field, such as `status`, `query.page` or `body.items[0].amount`. */
  readonly field: string;
  readonly expected: unknown;
  /** `undefined` if the entry does not have the field. */
  readonly received: unknown;
}

/** The fields of an entry that differ from an expectation. */
export function* differences(
  entry: VerifiedEntry,
  expectation: AnyExpectation,
): Generator<Difference, void> {
  const { url, path, query, headers = {}, body } = expectation;
  const { method, operation, status, reason, attempt, fault, aborted } = expectation;
  if (url !== undefined && !isUrl(entry.url ?? '', url)) {
    yield { field: 'url', expected: redactedUrl(url), received: entry.url };
  }
  // A request in flight may still get a status.
  const ended = status === null ? true : expectation.ended;
  const upperCase = method?.toUpperCase();
  const plain = { method: upperCase, operation, status, reason, attempt, fault, aborted, ended };
  for (const [field, expected] of Object.entries(plain)) {
    const received = entry[field as keyof typeof plain];
    if (expected !== undefined && received !== expected) yield { field, expected, received };
  }
  const isPath = entry.path === path || entry.operation?.endsWith(` ${path}`);
  if (path !== undefined && !isPath) yield { field: 'path', expected: path, received: entry.path };
  if (query !== undefined) yield* contained(entry.query, query, 'query');
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  yield* contained(entry.headers, Object.fromEntries(lowerCase), 'headers');
  if (body !== undefined) yield* inBody(entry, body);
}

function* inBody(entry: VerifiedEntry, expected: unknown): Generator<Difference, void> {
  if (typeof expected === 'string') {
    const received = entry.body;
    if (!received.includes(expected)) yield { field: 'body', expected, received };
    return;
  }
  yield* contained(parsedBody(entry), expected, 'body');
}

/** Parses each body once, although up to 100 expectations may read it. */
const bodies = new WeakMap<object, unknown>();

/** The value of a JSON body, or any other body as text. */
function parsedBody(entry: VerifiedEntry): unknown {
  if (bodies.has(entry)) return bodies.get(entry);
  let body: unknown = entry.body;
  try {
    body = JSON.parse(entry.body);
  } catch {}
  bodies.set(entry, body);
  return body;
}

/**
 * How a value differs from the expected one. Objects may have more fields, but lists no more items.
 */
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
    const receivedValue = Object.hasOwn(received, name) ? received[name] : undefined;
    yield* contained(receivedValue, value, list ? `${field}[${name}]` : `${field}.${name}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
