/** The JSON of a value; `undefined` if it cannot be written as JSON. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A circular value, a bigint, or a getter that throws.
    return undefined;
  }
}
