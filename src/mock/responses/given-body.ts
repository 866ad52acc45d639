import { MomoMockError } from '../../errors.ts';
import { BALANCE } from '../contract.ts';
import { MAX_GIVEN_BYTES } from '../limits.ts';
import type { Operation } from '../operations/operation.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { HttpResponse } from './http-response.ts';

export function tooLarge(maxBytes = MAX_GIVEN_BYTES): MomoMockError {
  const isUsual = maxBytes === MAX_GIVEN_BYTES;
  const advice = isUsual ? ', or serve a large response from a fixture file' : '';
  const text = `Failed to read the body: it is longer than ${maxBytes / MAX_GIVEN_BYTES} MiB. Send less in one call${advice}.`;
  return new MomoMockError('MOMO_MOCK_TOO_LARGE', text);
}

/**
 * Checks a body against the schema of its operation. The error names the invalid fields.
 *
 * @param redactor redacts configured keys in their names. Without it, the error shows only names
 *   from the schema: it is about a handler's body, it is logged, and a handler may have taken other
 *   names from a request
 */
export function checkBody({ schema }: Operation, json: Buffer, redactor?: Redactor): void {
  if (schema === undefined) return;
  let body: unknown;
  try {
    body = JSON.parse(json.toString());
  } catch {
    body = json.toString();
  }
  const isShown = redactor === undefined ? isNamedIn(schema.schema) : undefined;
  const problems = schema
    .violations(body, json.length, isShown)
    .map(({ phrase }) => redactor?.redactPointers(phrase) ?? phrase);
  if (problems.length === 0) return;
  const text = `Failed to accept the body: ${problems.join('; ')}. Send a body that satisfies ${schema.file}.`;
  throw new MomoMockError('MOMO_MOCK_BODY_REJECTED', text);
}

export function isNamedIn(schema: unknown): (name: string) => boolean {
  let text: string | undefined;
  return (name) => {
    text ??= `${JSON.stringify(schema)}`;
    return name === '' || text.includes(JSON.stringify(name));
  };
}

interface Checks {
  readonly operations: readonly Operation[];
  readonly redactor: Redactor;
}

export function givenBalance({ operations, redactor }: Checks, json: string): HttpResponse {
  const operation = operations.find(({ name }) => name === BALANCE);
  if (operation === undefined) {
    const text = `Failed to set the balance: the service has no balance, because it has no ${BALANCE}. Script a response of another operation, or set the state that its handlers use.`;
    throw new MomoMockError('MOMO_MOCK_OPERATION_UNKNOWN', text);
  }
  const body = Buffer.from(json);
  checkBody(operation, body, redactor);
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 200, headers, body };
}
