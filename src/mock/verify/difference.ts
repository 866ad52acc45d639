import type { AnyExpectation } from './subject.ts';

/** A field that is not as expected. */
export interface Difference {
  /** The name of the field, such as `status`, `query.page` or `body.items[0].amount`. */
  readonly field: string;
  readonly expected: unknown;
  /** `undefined` if the entry does not have the field. */
  readonly received: unknown;
}

/** The fields that differ in plain values: those that are expected and received otherwise. */
export function* plainDifferences<Fields extends object>(
  entry: Fields,
  expected: Partial<Fields>,
): Generator<Difference, void> {
  for (const [field, value] of Object.entries(expected)) {
    const received = entry[field as keyof Fields];
    if (value !== undefined && received !== value) yield { field, expected: value, received };
  }
}

/** The headers and the parts of the body that are not as expected. */
export function* contentDifferences(
  entry: { readonly headers: object; readonly body: string },
  { headers = {}, body }: Pick<AnyExpectation, 'headers' | 'body'>,
): Generator<Difference, void> {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  yield* contained(entry.headers, Object.fromEntries(lowerCase), 'headers');
  if (body !== undefined) yield* inBody(entry, body);
}

function* inBody(entry: { readonly body: string }, expected: unknown): Generator<Difference, void> {
  if (typeof expected === 'string') {
    const received = entry.body;
    if (!received.includes(expected)) yield { field: 'body', expected, received };
    return;
  }
  yield* contained(parsedBody(entry), expected, 'body');
}

/** The parsed bodies of entries, because up to 100 expectations look at each. */
const bodies = new WeakMap<object, unknown>();

/** The value of a body that is JSON; its text otherwise. */
function parsedBody(entry: { readonly body: string }): unknown {
  if (bodies.has(entry)) return bodies.get(entry);
  let body: unknown = entry.body;
  try {
    body = JSON.parse(entry.body);
  } catch {}
  bodies.set(entry, body);
  return body;
}

/** What a value lacks of the expected one: of an object the given fields, of a list all items. */
export function* contained(
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
