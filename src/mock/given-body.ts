import { MomoMockError } from '../errors.ts';
import type { Operation } from './operation.ts';
import type { Redactor } from './redaction.ts';

/** The longest body that a test can give in one call, as JSON, in bytes. */
export const LONGEST_GIVEN = 1_048_576;

/** The error for a body that is longer than {@link LONGEST_GIVEN}. */
export function tooLarge(): MomoMockError {
  const text =
    'Failed to read the body: it is longer than 1 MiB. Send less in one call, or serve a large answer from a fixture file.';
  return new MomoMockError('MOMO_MOCK_TOO_LARGE', text);
}

/**
 * Checks how long a value is as JSON.
 *
 * @returns its JSON
 * @throws MomoMockError `MOMO_MOCK_TOO_LARGE`
 */
export function checkLength(value: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(value));
  if (json.length > LONGEST_GIVEN) throw tooLarge();
  return json;
}

/**
 * Checks a body by the schema of its operation, where there is one. The error names the places that
 * are wrong; a configured key in the name of a field is redacted.
 *
 * @throws MomoMockError `MOMO_MOCK_BODY_REJECTED`
 */
export function checkBody({ schema }: Operation, json: Buffer, redactor: Redactor): void {
  if (schema === undefined) return;
  let body: unknown;
  try {
    body = JSON.parse(json.toString());
  } catch {
    body = json.toString();
  }
  const problems = schema.validate(body).map((problem) => redactor.redactPointers(problem));
  if (problems.length === 0) return;
  const text = `Failed to accept the body: ${problems.join('; ')}. Give one that satisfies ${schema.file}.`;
  throw new MomoMockError('MOMO_MOCK_BODY_REJECTED', text);
}
