import type { Difference, Place } from '../journal/filter.ts';
import { ExactNumber, isNumber, isSameNumber } from '../json/exact-json.ts';

/** Other texts, such as the phone number 0712345678, are not the number that they look like. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * How a value differs from the expected one. Objects may have more fields, but lists no more items.
 *
 * @param isForm whether a text may be the expected number, since a form has only texts
 */
export function* contained(
  received: unknown,
  expected: unknown,
  place: Place,
  isForm = false,
): Generator<Difference, void> {
  if (isNumber(expected) && isNumber(received)) {
    if (!isSameNumber(received, expected)) yield { place, expected, received };
    return;
  }
  if (isForm && isNumber(expected) && typeof received === 'string' && JSON_NUMBER.test(received)) {
    if (!isSameNumber(new ExactNumber(received), expected)) yield { place, expected, received };
    return;
  }
  const isList = Array.isArray(expected);
  if (!isObject(expected) || !isObject(received) || Array.isArray(received) !== isList) {
    if (!Object.is(received, expected)) yield { place, expected, received };
    return;
  }
  if (isList && received.length !== expected.length) {
    yield {
      place: [...place, 'length'],
      expected: expected.length,
      received: received.length,
    };
    return;
  }
  for (const [name, value] of Object.entries(expected)) {
    const receivedValue = Object.hasOwn(received, name) ? received[name] : undefined;
    yield* contained(receivedValue, value, [...place, isList ? Number(name) : name], isForm);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !isNumber(value);
}
