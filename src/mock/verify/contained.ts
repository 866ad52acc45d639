import type { Difference } from '../journal/filter.ts';
import { isNumber, isSameNumber } from '../json/exact-json.ts';

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
