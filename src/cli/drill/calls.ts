import { REDACTED, type Redactor } from '../../mock/redaction/redaction.ts';
import { isSecretName } from '../../mock/redaction/secret-names.ts';
import type { Call } from './config.ts';
import { sendCall } from './http-call.ts';
import { firstAndLastLines, plainText, shortened } from './output.ts';
import type { ProcessGroup } from './process-group.ts';
import { fillIn, fillInUrl, type PlaceholderValues } from './template.ts';

/** How much of a response is shown, in characters. */
const MAX_SHOWN_RESPONSE = 200;
const MAX_SHOWN_COMMAND = 200;
/** Statuses that say that there is no such order. */
const UNKNOWN: readonly number[] = [404, 410];

/** What came back from a call of the configuration. */
export interface Called {
  /** The body of a response, or the last line of standard output. */
  readonly text: string;
  /** Whether it is a status other than 2xx. */
  readonly isRefused: boolean;
  /** Whether it says that the application does not know the order. */
  readonly isUnknown: boolean;
  /** What `text` is, in a sentence. */
  readonly subject: string;
  /** The call and how it ended, such as `GET http://127.0.0.1:3000/orders/1 responded with 500`. */
  readonly head: string;
  /** What came back, after a sentence. */
  readonly evidence: string;
}

export interface CallContext {
  readonly values: PlaceholderValues;
  /** The time limit, in ms. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Knows the secrets that the application got. */
  readonly redactor: Redactor;
  readonly run: (words: readonly string[]) => ProcessGroup;
}

/**
 * Sends the request or runs the program.
 *
 * @param method of a request, if the call has none
 * @throws Error with a sentence that names the call, if nothing came back
 */
export async function callApplication(
  call: Call,
  method: string,
  context: CallContext,
): Promise<Called> {
  const { values, limit, signal, redactor } = context;
  if (!('url' in call)) return await runProgram(call.command, context);
  const url = redactor.redact(shownUrl(fillInUrl(call.url, values)));
  const name = `${call.method ?? method} ${url}`;
  const { status, text } = await sendCall({ method, ...call }, values, limit, signal).catch(
    ({ message }: Error) => {
      throw new Error(`${name}: ${message}.`);
    },
  );
  return {
    text,
    isRefused: status < 200 || status > 299,
    isUnknown: UNKNOWN.includes(status),
    subject: 'the response',
    head: `${name} responded with ${status}`,
    evidence: responseIn(text, redactor),
  };
}

async function runProgram(
  templates: readonly string[],
  { values, limit, signal, redactor, run }: CallContext,
): Promise<Called> {
  const words = templates.map((word) => fillIn(word, values));
  const group = run(words);
  await group.finish(limit, signal);
  const name = shortened(redactor.redact(shownCommand(words)), MAX_SHOWN_COMMAND);
  const evidence = outputOf(group, redactor);
  if (!group.isSuccess) throw new Error(`${name}: ${group.end}.${evidence}`);
  const text = group.lastLine;
  return {
    text,
    isRefused: false,
    isUnknown: text === '',
    subject: 'its last line',
    head: `${name} ended with exit code 0`,
    evidence,
  };
}

/** What a program wrote, which usually says why it failed. */
export function outputOf({ written }: ProcessGroup, redactor: Redactor): string {
  const lines = firstAndLastLines(redactor.redact(written));
  return lines === '' ? '' : ` It wrote:${lines}`;
}

function responseIn(text: string, redactor: Redactor): string {
  // In other text, a name may be that of an error: `KeyError: 'status'`.
  const redacted = isJson(text)
    ? redactor.redactRequest({ headers: {}, body: text }).body
    : redactor.redact(plainText(text));
  const line = redacted.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line === ''
    ? ' The response is empty.'
    : ` The response: ${shortened(line, MAX_SHOWN_RESPONSE)}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Without what it has under secret names. */
function shownUrl(url: string): string {
  return url
    .replace(/(?<=\/\/[^/?#]*:)[^/?#]*(?=@)/, REDACTED)
    .replace(/(?<=[?&])([^=&#]*)=([^&#]*)/g, (all, name: string) =>
      isSecretName(name) ? `${name}=${REDACTED}` : all,
    );
}

/** Without what it has under secret names. */
function shownCommand(words: readonly string[]): string {
  const shown = words.map((word, at) => {
    const flag = words[at - 1] ?? '';
    if (/^-[^=]*$/.test(flag) && isSecretName(flag)) return REDACTED;
    return word.replace(/^([^=:]+[=:]\s*).+$/s, (all, name: string) =>
      isSecretName(name) ? `${name}${REDACTED}` : all,
    );
  });
  return shown.join(' ').replace(/[\s\p{Cc}]+/gu, ' ');
}
