import { invalid } from '../errors.ts';
import { checkBody } from './given-body.ts';
import { MOST_RESPONSES } from './limits.ts';
import { findOperation, type Operation } from './operation.ts';
import type { Redactor } from './redaction/redaction.ts';
import { readScript, type Script, type ScriptedResponse } from './scripted-response.ts';

/** Where scripted responses will be used. */
export interface ScriptContext {
  /** The number of scripted responses that are left before them. */
  readonly left: number;
  /** Whether they are for the whole service. */
  readonly isService: boolean;
  readonly operations: readonly Operation[];
  readonly redactor: Redactor;
}

/**
 * Prepares checked scripted responses.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_OPERATION_UNKNOWN`,
 *   `MOMO_MOCK_BODY_REJECTED`
 */
export function readScripts(
  given: ScriptedResponse | readonly ScriptedResponse[],
  { left, isService, operations, redactor }: ScriptContext,
): Script[] {
  const responses = [given].flat();
  if (left + responses.length > MOST_RESPONSES) {
    const problem = `must be at most ${MOST_RESPONSES} in total, and ${left} are left. Use times to repeat a response`;
    throw invalid('responses', problem);
  }
  return responses.map((response, index) => {
    if (response.beforeKeyCheck && !isService) {
      const place = Array.isArray(given) ? `responses[${index}].` : '';
      const problem = 'must be false for an account: only the whole service can use it';
      throw invalid(`${place}beforeKeyCheck`, problem);
    }
    const script = readScript(response);
    const { status = 200, body } = script;
    const operation = findOperation(operations, script.operation);
    if (body !== undefined && status < 300) checkBody(operation, body, redactor);
    return script;
  });
}
