import type { Account } from './accounts.ts';
import { type Answer, type ErrorAnswers, errorAnswer } from './answer.ts';
import type { ReadFault } from './fault.ts';
import type { Source } from './journal-record.ts';
import { BALANCE, type Operation } from './operation.ts';
import type { Scope } from './scope.ts';
import type { Script, ScriptedAnswer } from './scripted-response.ts';

/** The response to send, its source, and how it is delayed or broken. */
export interface Decision {
  readonly answer: Answer;
  readonly source: Source;
  /** The fixture file of the response. */
  readonly file?: string;
  readonly variant?: string | undefined;
  /** The delay of the response, in ms. */
  readonly delay?: number;
  readonly fault?: ReadFault | undefined;
}

/** The input of a decision. */
export interface Circumstances {
  readonly operation: Operation;
  /** The scope of the whole service. */
  readonly service: Scope;
  /** The account of the key; left out before the key check. */
  readonly account?: Account;
  readonly errors: ErrorAnswers;
}

/**
 * Decides the response of an operation. The first that exists is used: the account's script, the
 * service's script, the account's balance, the service's balance, the account's variant, the
 * default file. A scripted response is consumed.
 */
export function decide(circumstances: Circumstances): Decision {
  const { operation, service, account } = circumstances;
  const script = account?.consume(operation.name, false) ?? service.consume(operation.name, false);
  return script === undefined ? unscripted(circumstances) : scripted(script, circumstances);
}

/** The response that is scripted for before the key check, if there is one. It is consumed. */
export function decideBeforeKeyCheck(circumstances: Circumstances): Decision | undefined {
  const script = circumstances.service.consume(circumstances.operation.name, true);
  return script && scripted(script, circumstances);
}

function unscripted({ operation, service, account, errors }: Circumstances): Decision {
  if (operation.name === BALANCE) {
    const answer = account?.balance ?? service.balance;
    if (answer !== undefined) return { answer, source: 'override' };
  }
  const source = 'fixture';
  const variant = account?.variant;
  const special = variant === undefined ? undefined : operation.variants.get(variant);
  if (special === undefined) {
    return { answer: operation.default, source, file: operation.default.file };
  }
  const { file } = special;
  if ('body' in special) return { answer: special, source, file, variant };
  return { ...apply(special.script, operation.default, errors), source, file, variant };
}

function scripted(script: Script, circumstances: Circumstances): Decision {
  const { answer } = unscripted(circumstances);
  return { ...apply(script, answer, circumstances.errors), source: 'script' };
}

/** Applies a scripted response to the normal one. */
function apply(
  { status, headers, body, delay, fault }: ScriptedAnswer,
  unscriptedAnswer: Answer,
  errors: ErrorAnswers,
): Pick<Decision, 'answer' | 'delay' | 'fault'> {
  const isError = status !== undefined && status >= 400;
  const base = isError ? errorAnswer(errors, status) : unscriptedAnswer;
  const hasNoBody = status === 204 || status === 304;
  const answer: Answer = {
    status: status ?? base.status,
    headers: { ...(body === undefined && base.headers), ...headers },
    body: hasNoBody ? Buffer.alloc(0) : (body ?? base.body),
  };
  return { answer, delay: delay(), fault };
}
