import type { Account } from './accounts.ts';
import { type Answer, type ErrorAnswers, errorAnswer } from './answer.ts';
import type { ReadFault } from './fault.ts';
import type { Source } from './journal-record.ts';
import { BALANCE, type Operation } from './operation.ts';
import type { Scope } from './scope.ts';
import type { Script, ScriptedAnswer } from './scripted-response.ts';

/** What is sent, where it comes from, and what happens to it on the way. */
export interface Decision {
  readonly answer: Answer;
  readonly source: Source;
  /** The fixture file of the answer. */
  readonly file?: string;
  readonly variant?: string | undefined;
  /** In ms. */
  readonly delay?: number;
  readonly fault?: ReadFault | undefined;
}

/** What a decision depends on. */
export interface Circumstances {
  readonly operation: Operation;
  /** What holds for every account. */
  readonly service: Scope;
  /** Absent before the key check. */
  readonly account?: Account;
  readonly errors: ErrorAnswers;
}

/**
 * Decides what an operation answers: the account's script, the service's script, the account's
 * balance, the service's balance, the account's variant, the default file. Uses up what is scripted.
 */
export function decide(circumstances: Circumstances): Decision {
  const { operation, service, account } = circumstances;
  const script = account?.consume(operation.name, false) ?? service.consume(operation.name, false);
  return script === undefined ? unscripted(circumstances) : scripted(script, circumstances);
}

/** What the service is scripted to answer before the key check, if anything. Uses it up. */
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

/** Does to an answer what a scripted response says. */
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
