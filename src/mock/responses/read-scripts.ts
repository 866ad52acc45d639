import { invalid } from '../../errors.ts';
import { findOperation, type Operation } from '../operations/operation.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { rememberSecrets } from '../webhooks/signing.ts';
import { checkBody } from './given-body.ts';
import { prepareResponse, type Script, type ScriptedResponse } from './scripted-response.ts';

export interface ReadOptions {
  readonly isForAll: boolean;
  /** How many requests they have already responded to. */
  readonly used?: number;
  /** Called with each secret of their webhooks. */
  readonly remember: (secret: string) => void;
}

export function readScripts(
  responses: ScriptedResponse | readonly ScriptedResponse[],
  { operations, redactor }: { operations: readonly Operation[]; redactor: Redactor },
  { isForAll, used = 0, remember }: ReadOptions,
): Script[] {
  return [responses].flat().map(({ $schema: _, ...given }, index) => {
    const { beforeKeyCheck = false, times = 1, status = 200 } = given;
    const place = Array.isArray(responses) ? `responses[${index}].` : '';
    if (beforeKeyCheck && !isForAll) {
      throw invalid(`${place}beforeKeyCheck`, 'must be false for one account');
    }
    const prepared = prepareResponse(given, used);
    rememberSecrets(prepared.webhooks, { remember });
    let found =
      given.operation === undefined ? undefined : findOperation(operations, given.operation);
    if (prepared.body !== undefined && status < 300) {
      found ??= onlyOperation(operations, place);
      checkBody(found, prepared.body, redactor);
    }
    const left = times === 'always' ? Infinity : times - used;
    return { given, operation: found?.name, beforeKeyCheck, ...prepared, left, used };
  });
}

/** The operation of a body that names none. No other operation that is added later gets the body. */
function onlyOperation(operations: readonly Operation[], place: string): Operation {
  const [only, ...others] = operations;
  if (only !== undefined && others.length === 0) return only;
  const names = operations.map(({ name }) => name).join(', ');
  const problem = `must be set for a body with a status below 300, because each operation has its own bodies. Use one of: ${names}`;
  throw invalid(`${place}operation`, problem);
}
