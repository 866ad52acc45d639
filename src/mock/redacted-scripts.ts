import type { Redactor } from './redaction/redaction.ts';
import type { Script, ScriptedResponse } from './scripted-response.ts';

/**
 * Scripted responses with their remaining `times`, and with redacted keys in headers, bodies and
 * callbacks. The mock still serves the keys.
 */
export function redactedScripts(
  scripts: readonly Script[],
  redactor: Redactor,
): readonly ScriptedResponse[] {
  return scripts.map(({ given, operation, left }) => {
    const { headers, body, callback } = given;
    return {
      ...given,
      operation,
      times: left === Infinity ? 'always' : left,
      ...(headers !== undefined && { headers: redacted(headers, redactor) }),
      ...(body !== undefined && { body: redacted(body, redactor) }),
      ...(callback !== undefined && { callback: redacted(callback, redactor) }),
    };
  });
}

function redacted<Value>(value: Value, redactor: Redactor): Value {
  const json = JSON.stringify(value);
  const redactedJson = redactor.redactJson(json);
  return redactedJson === json ? value : JSON.parse(redactedJson);
}
