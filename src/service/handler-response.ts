import { Compile, type Validator } from 'typebox/compile';
import { check, type IsSecret } from '../mock/check.ts';
import { RESPONSE_FILE, type ResponseFile } from '../mock/scripted-response.ts';

/** Made for the first handler that answers, since compiling takes some ms. */
let validator: Validator | undefined;

/**
 * Checks what a handler returns. The compiled check is for each response of a handler; the other one
 * finds the words for a mistake.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function handlerResponse(returned: unknown, isSecret: IsSecret): ResponseFile {
  if (returned === undefined) return {};
  validator ??= Compile(RESPONSE_FILE as never) as Validator;
  return validator.Check(returned)
    ? (returned as ResponseFile)
    : check(RESPONSE_FILE, returned, isSecret);
}
