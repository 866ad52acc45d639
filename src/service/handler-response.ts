import { invalid } from '../errors.ts';
import { withUrl } from '../mock/callbacks/callback.ts';
import { check } from '../mock/check.ts';
import { jsonOf } from '../mock/json-of.ts';
import { AS_JSON } from '../mock/json-value.ts';
import {
  RESPONSE_FILE,
  type ResponseFile,
  readScriptedAnswer,
  type ScriptedAnswer,
} from '../mock/scripted-response.ts';
import { unlessMistyped } from '../mock/unknown-field.ts';

/** The fields whose values can be objects. */
const PARTS = ['headers', 'body', 'delay', 'fault', 'callback'] as const;

/**
 * Checks what a handler returns, and makes the JSON of its body.
 *
 * @param status the status of a response that says none
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function handlerResponse(returned: unknown, status: number): ScriptedAnswer {
  if (returned === undefined) return readScriptedAnswer({ status });
  if (!isPlain(returned)) {
    const text =
      'must be a plain object with some of status, headers, body, delay, fault, callback, or nothing';
    throw invalid('what the handler returned', text);
  }
  const response: ResponseFile = returned;
  for (const name of PARTS) checkPart(name, response[name]);
  const { body, callback } = response;
  const given = Array.isArray(callback) ? callback.map(withUrl) : callback && withUrl(callback);
  const checked = check(RESPONSE_FILE, { ...response, callback: given }, unlessMistyped);
  return readScriptedAnswer({ status, ...checked, body });
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
