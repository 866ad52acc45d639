import { invalid } from '../errors.ts';
import { rememberSecrets } from './callbacks/signing.ts';
import { findOperation } from './find-operation.ts';
import { checkBody } from './given-body.ts';
import type { Operation } from './operation.ts';
import type { Redactor } from './redaction/redaction.ts';
import { readScript, type Script, type ScriptedResponse } from './scripted-response.ts';

export interface ScriptContext {
  /** Whether the scripts are for all accounts. */
  readonly isForAll: boolean;
  /** How many requests they have already responded to. @default 0 */
  readonly used?: number;
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
  responses: ScriptedResponse | readonly ScriptedResponse[],
  { isForAll, used, operations, redactor }: ScriptContext,
): Script[] {
  return [responses].flat().map(({ $schema: _, ...response }, index) => {
    if (response.beforeKeyCheck && !isForAll) {
      const place = Array.isArray(responses) ? `responses[${index}].` : '';
      const problem = 'must be false for an account: only the whole service can use it';
      throw invalid(`${place}beforeKeyCheck`, problem);
    }
    const script = readScript(response, used);
    rememberSecrets(script.callbacks, redactor);
    const { status = 200, body } = script;
    const operation = findOperation(operations, script.operation);
    if (body !== undefined && status < 300) checkBody(operation, body, redactor);
    return script;
  });
}
