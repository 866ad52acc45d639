import type { FaultType } from '../../mock/fault.ts';
import type { ScriptedResponse } from '../../mock/scripted-response.ts';
import { FAULT_WORDS } from './entry-words.ts';

/** A usual answer. */
export interface Preset {
  /** On the button. */
  readonly name: string;
  readonly response: ScriptedResponse;
  /** What is next, in words. */
  readonly words: string;
}

/** The usual answers. */
export const PRESETS: readonly Preset[] = [
  { name: '503 twice', response: { status: 503, times: 2 }, words: '503, twice' },
  { name: '429', response: { status: 429 }, words: '429' },
  { name: 'Slow 2 s', response: { delay: 2000 }, words: 'the normal answer after 2 s' },
  { name: 'No answer', response: { fault: 'hang' }, words: 'no answer' },
  { name: 'Connection reset', response: { fault: 'reset' }, words: 'a connection reset' },
  { name: 'Half a body', response: { fault: 'truncate' }, words: 'half a body' },
];

/** The fields of the form for an answer, as they were typed. */
export interface AnswerFields {
  readonly operation: string;
  readonly status: string;
  readonly delay: string;
  readonly fault: FaultType | '';
  readonly body: string;
  readonly times: string;
  readonly isAlways: boolean;
}

/** The scripted response that the fields describe. What is empty is left out. */
export function responseOf(fields: AnswerFields): ScriptedResponse {
  const { operation, status, delay, fault, body, times, isAlways } = fields;
  return {
    operation,
    ...(status !== '' && { status: Number(status) }),
    ...(delay !== '' && { delay: Number(delay) }),
    ...(fault !== '' && { fault }),
    ...(body !== '' && { body: isJson(body) ? JSON.parse(body) : body }),
    ...(isAlways ? { times: 'always' as const } : times !== '' && { times: Number(times) }),
  };
}

/** Whether a body is sent as JSON; otherwise it is sent as text. */
export function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

/** What a scripted response does, in a few words. */
export function responseWords(response: ScriptedResponse): string {
  const { status, headers, body, delay, fault, beforeKeyCheck } = response;
  const type = typeof fault === 'object' ? fault.type : fault;
  const words = [
    status === undefined ? '' : String(status),
    body === undefined ? '' : 'own body',
    headers === undefined ? '' : `headers ${Object.keys(headers).join(', ')}`,
    delay === undefined ? '' : delayWords(delay),
    type === undefined ? '' : FAULT_WORDS[type],
    beforeKeyCheck === true ? 'before the key check' : '',
  ];
  return words.filter((word) => word !== '').join(', ') || 'the normal answer';
}

function delayWords(delay: NonNullable<ScriptedResponse['delay']>): string {
  if (typeof delay === 'number') return `after ${delay} ms`;
  return 'min' in delay
    ? `after ${delay.min} to ${delay.max} ms`
    : `after about ${delay.median} ms`;
}

/** How often a scripted response is still used, in words. */
export function timesWords({ times = 1 }: ScriptedResponse): string {
  return times === 'always' ? 'always' : `${times} left`;
}
