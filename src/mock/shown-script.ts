import type { Redactor } from './redaction.ts';
import type { Script, ScriptedResponse } from './scripted-response.ts';
import type { Turns } from './turns.ts';

/**
 * Scripted responses as they may be shown: as they were given, with what is left of each. A
 * configured key in a header or a body is redacted; what is served holds it.
 */
export async function* shownScripts(
  scripts: readonly Script[],
  redactor: Redactor,
  turns: Turns,
): AsyncGenerator<ScriptedResponse> {
  // They are used up meanwhile.
  const now = scripts.map(({ given, operation, left, body }) => {
    const times = left === Infinity ? ('always' as const) : left;
    return { response: { ...given, operation, times }, bytes: body?.length ?? 0 };
  });
  for (const { response, bytes } of now) {
    await turns.spend(LEAST_WORK + bytes);
    const { headers, body } = response;
    yield {
      ...response,
      ...(headers !== undefined && { headers: redacted(headers, redactor) }),
      ...(body !== undefined && { body: redacted(body, redactor) }),
    };
  }
}

/** What showing a response without a body costs, as bytes to work on. */
const LEAST_WORK = 256;

/** A value of JSON, without configured keys. */
function redacted<Value>(value: Value, redactor: Redactor): Value {
  const json = JSON.stringify(value);
  const shown = redactor.redactJson(json);
  return shown === json ? value : JSON.parse(shown);
}
