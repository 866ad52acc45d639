import * as Type from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { invalid } from '../errors.ts';
import { check } from '../mock/check.ts';
import { jsonOf } from '../mock/json-of.ts';
import {
  AS_JSON,
  RESPONSE_FILE,
  type ResponseFile,
  readScriptedAnswer,
  type ScriptedAnswer,
} from '../mock/scripted-response.ts';
import { unlessMistyped } from '../mock/unknown-field.ts';

const { properties } = RESPONSE_FILE as unknown as Type.TObject;
/** All fields, with any body: it is checked when its JSON is made. */
const FIELDS = { ...properties, body: Type.Optional(Type.Unknown()) };

/** What a handler may return, in the words of an error. */
const MAY_RETURN = `must be a plain object with some of ${Object.keys(FIELDS).join(', ')}, or nothing`;

/** The fields whose values can be objects. */
const PARTS = ['headers', 'body', 'delay', 'fault'] as const;

/** Made for the first handler that answers, since compiling takes some ms. */
let validator: Validator | undefined;

/**
 * Checks what a handler returns, and makes the JSON of its body. The compiled check is for each
 * response of a handler; the other one finds the words for a mistake.
 *
 * @param status the status of a response that says none
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function handlerResponse(returned: unknown, status: number): ScriptedAnswer {
  if (returned === undefined) return readScriptedAnswer({ status });
  if (!isPlain(returned)) throw invalid('what the handler returned', MAY_RETURN);
  // A copy, because getters and proxies can change between the check and the use.
  const response: ResponseFile = { ...returned };
  for (const name of PARTS) checkPart(name, response[name]);
  validator ??= Compile(Type.Object(FIELDS, { additionalProperties: false }));
  if (validator.Check(response)) {
    const answer = readScriptedAnswer({ status, ...response });
    const isJson = answer.body !== undefined || response.body === undefined;
    if (isJson) return answer;
  }
  return readScriptedAnswer({ status, ...check(RESPONSE_FILE, response, unlessMistyped) });
}

/** Whether it is an object that no class has made, maybe of another context, as those of jest. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Refuses the instances of classes, such as `Headers` and `Map`, whose content has no JSON. */
function checkPart(name: string, part: unknown): void {
  const isInstance =
    typeof part === 'object' && part !== null && !Array.isArray(part) && !isPlain(part);
  if (!isInstance) return;
  if (name !== 'body') throw invalid(name, 'must be a plain object');
  const isEmpty = !('toJSON' in part) && jsonOf(part) === '{}';
  if (isEmpty) throw invalid(name, `must be ${AS_JSON}`);
}
