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
  readonly delay?: number | undefined;
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
 * service's script, the account's balance, the service's balance, the variant set for the account,
 * that set for the service, the account's initial variant, the default file. A scripted response is
 * consumed.
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
  const variants = [account?.variant, service.variant, account?.initialVariant];
  const variant = variants.find((name) => name !== undefined && operation.variants.has(name));
  const { script, ...fixture } = fixtureAnswer(operation, variant, errors);
  return { ...fixture, source: 'fixture', variant, delay: script?.delay(), fault: script?.fault };
}

function scripted(script: Script, circumstances: Circumstances): Decision {
  const { answer } = unscripted(circumstances);
  const { errors } = circumstances;
  const { fault } = script;
  return { answer: apply(script, answer, errors), source: 'script', delay: script.delay(), fault };
}

/**
 * The response of an operation's fixture file.
 *
 * @param variant without one, the default file; the operation must have it
 * @returns also the script of a file `.response.json`, with its delay and its fault
 */
export function fixtureAnswer(
  operation: Operation,
  variant: string | undefined,
  errors: ErrorAnswers,
): { answer: Answer; file: string; script?: ScriptedAnswer } {
  const special = variant === undefined ? undefined : operation.variants.get(variant);
  const fixture = special ?? operation.default;
  const { file } = fixture;
  if ('handler' in fixture) return { answer: NOT_HANDLED, file };
  if ('body' in fixture) return { answer: fixture, file };
  const { script } = fixture;
  const normal = 'handler' in operation.default ? NOT_HANDLED : operation.default;
  return { answer: apply(script, normal, errors), file, script };
}

// TODO: run handlers.
const NOT_HANDLED: Answer = { status: 501, headers: {}, body: Buffer.alloc(0) };

/** Applies a scripted response to the normal one. */
function apply(
  { status, headers, body }: ScriptedAnswer,
  unscriptedAnswer: Answer,
  errors: ErrorAnswers,
): Answer {
  const isError = status !== undefined && status >= 400;
  const base = isError ? errorAnswer(errors, status) : unscriptedAnswer;
  const hasNoBody = status === 204 || status === 304;
  return {
    status: status ?? base.status,
    headers: { ...(body === undefined && base.headers), ...headers },
    body: hasNoBody ? Buffer.alloc(0) : (body ?? base.body),
  };
}
