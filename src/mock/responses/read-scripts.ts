import { invalid } from '../../errors.ts';
import { BALANCE } from '../contract.ts';
import { findOperation } from '../operations/find-operation.ts';
import type { Operation } from '../operations/operation.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { rememberSecrets } from '../webhooks/signing.ts';
import { checkBody } from './given-body.ts';
import { prepareResponse, type Script, type ScriptedResponse } from './scripted-response.ts';

/**
 * @param used how many requests they have already responded to
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_OPERATION_UNKNOWN`,
 *   `MOMO_MOCK_BODY_REJECTED`
 */
export function readScripts(
  responses: ScriptedResponse | readonly ScriptedResponse[],
  { operations, redactor }: { operations: readonly Operation[]; redactor: Redactor },
  { isForAll, used = 0 }: { isForAll: boolean; used?: number },
): Script[] {
  return [responses].flat().map(({ $schema: _, ...given }, index) => {
    const { operation = BALANCE, beforeKeyCheck = false, times = 1, status = 200 } = given;
    if (beforeKeyCheck && !isForAll) {
      const place = Array.isArray(responses) ? `responses[${index}].` : '';
      const problem = 'must be false for one account';
      throw invalid(`${place}beforeKeyCheck`, problem);
    }
    const prepared = prepareResponse(given, used);
    rememberSecrets(prepared.webhooks, redactor);
    const found = findOperation(operations, operation);
    if (prepared.body !== undefined && status < 300) checkBody(found, prepared.body, redactor);
    const left = times === 'always' ? Infinity : times - used;
    return { given, operation, beforeKeyCheck, ...prepared, left, used };
  });
}
