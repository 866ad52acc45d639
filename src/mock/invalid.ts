import { MomoMockError } from '../errors.ts';

/** The error for input of a test that cannot be used, with the field at fault. */
export function invalid(field: string, allowed: string): MomoMockError {
  const text = `Failed to read ${field}: it is not allowed. Give ${allowed}.`;
  return new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
}

/** An object's fields, when it is one and has no others than the known ones. */
export function fieldsOf(
  value: unknown,
  name: string,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(name, `an object with some of ${known.join(', ')}`);
  }
  for (const field of Object.keys(value)) {
    // The name is not repeated: it may be a key that ended up in the wrong place.
    if (!known.includes(field)) throw invalid(`a field of ${name}`, `only ${known.join(', ')}`);
  }
  return value as Record<string, unknown>;
}

/** A number in a range. */
export function numberIn(
  value: unknown,
  field: string,
  min: number,
  max: number,
  { whole = false } = {},
): number {
  const isRight = whole ? Number.isInteger(value) : Number.isFinite(value);
  if (isRight && (value as number) >= min && (value as number) <= max) return value as number;
  throw invalid(field, `a ${whole ? 'whole ' : ''}number from ${min} to ${max}`);
}
