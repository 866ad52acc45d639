import type { Turns } from './journal/turns.ts';
import type { Redactor } from './redaction/redaction.ts';
import type { Script, ScriptedResponse } from './scripted-response.ts';

/**
 * The scripted responses in the form to show: with the remaining `times` of each, and without
 * configured keys in headers, bodies and callbacks. The served responses still contain these keys.
 */
export async function* shownScripts(
  scripts: readonly Script[],
  redactor: Redactor,
  turns: Turns,
): AsyncGenerator<ScriptedResponse> {
  // Copied, because requests consume the responses meanwhile.
  const now = scripts.map((script) => {
    const { given, operation, left, body } = script;
    const times = left === Infinity ? ('always' as const) : left;
    const bytes = [body, ...script.callbacks.map((callback) => callback.body)];
    const length = bytes.reduce((sum, part) => sum + (part?.length ?? 0), 0);
    return { response: { ...given, operation, times }, length };
  });
  for (const { response, length } of now) {
    await turns.spend(LEAST_WORK + length);
    const { headers, body, callback } = response;
    yield {
      ...response,
      ...(headers !== undefined && { headers: redacted(headers, redactor) }),
      ...(body !== undefined && { body: redacted(body, redactor) }),
      ...(callback !== undefined && { callback: redacted(callback, redactor) }),
    };
  }
}

/** The cost of showing a response without a body, as a number of bytes to process. */
const LEAST_WORK = 256;

/** A JSON value without configured keys. */
function redacted<Value>(value: Value, redactor: Redactor): Value {
  const json = JSON.stringify(value);
  const shown = redactor.redactJson(json);
  return shown === json ? value : JSON.parse(shown);
}
