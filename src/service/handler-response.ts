import * as Type from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { check, type IsSecret } from '../mock/check.ts';
import {
  RESPONSE_FILE,
  type ResponseFile,
  readScriptedAnswer,
  type ScriptedAnswer,
} from '../mock/scripted-response.ts';

const { properties } = RESPONSE_FILE as unknown as Type.TObject;
/** All fields, with any body: it is checked when its JSON is made. */
const FIELDS = { ...properties, body: Type.Optional(Type.Unknown()) };

/** Made for the first handler that answers, since compiling takes some ms. */
let validator: Validator | undefined;

/**
 * Checks what a handler returns, and makes the JSON of its body. The compiled check is for each
 * response of a handler; the other one finds the words for a mistake.
 *
 * @param status the status of a response that says none
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function handlerResponse(
  returned: unknown,
  status: number,
  isSecret: IsSecret,
): ScriptedAnswer {
  if (returned === undefined) return readScriptedAnswer({ status });
  validator ??= Compile(Type.Object(FIELDS, { additionalProperties: false }));
  if (validator.Check(returned)) {
    const response = returned as ResponseFile;
    const answer = readScriptedAnswer({ status, ...response });
    const isJson = answer.body !== undefined || response.body === undefined;
    if (isJson) return answer;
  }
  return readScriptedAnswer({ status, ...check(RESPONSE_FILE, returned, isSecret) });
}
