import type { Account } from './accounts.ts';
import type { Answer } from './answer.ts';
import type { ReadFault } from './fault.ts';
import type { Source } from './journal-record.ts';
import { BALANCE, type Operation } from './operation.ts';
import type { Scope } from './scope.ts';
import type { Script } from './scripted-response.ts';

/** An answer, where it came from, and what is to be done to it on the way. */
export interface Resolved {
  readonly answer: Answer;
  readonly source: Source;
  readonly file: string | undefined;
  readonly variant: string | undefined;
  /** In ms. */
  readonly delay: number | undefined;
  readonly fault: ReadFault | undefined;
}

/** What an answer is decided from. */
export interface Deciders {
  readonly operation: Operation;
  readonly service: Scope;
  /** Absent before the key was looked at. */
  readonly account?: Account;
  /** The answer `errors/<status>`. */
  readonly error: (status: number) => Answer;
}

/**
 * Decides what an operation answers: the account's script, the service's script, the account's
 * balance, the service's balance, the account's variant, the default file.
 */
export function resolve(deciders: Deciders): Resolved {
  const { operation, service, account } = deciders;
  const script = account?.take(operation.name, false) ?? service.take(operation.name, false);
  return script === undefined ? withoutScript(deciders) : perform(script, deciders);
}

/** What the service was scripted to say to an operation before it looks at the key, if anything. */
export function resolveBeforeKeyCheck(deciders: Deciders): Resolved | undefined {
  const script = deciders.service.take(deciders.operation.name, true);
  return script && perform(script, deciders);
}

function withoutScript({ operation, service, account }: Deciders): Resolved {
  if (operation.name === BALANCE) {
    const answer = account?.balance ?? service.balance;
    if (answer !== undefined) return resolved(answer, 'override');
  }
  // No variant has an empty name.
  const { variant = '' } = account ?? {};
  const special = operation.variants.get(variant);
  const answer = special ?? operation.default;
  return resolved(answer, 'fixture', { file: answer.file, variant: special && variant });
}

function perform(script: Script, deciders: Deciders): Resolved {
  const { status, headers, body, fault } = script;
  const isError = status !== undefined && status >= 400;
  const base = isError ? deciders.error(status) : withoutScript(deciders).answer;
  const hasNoBody = status === 204 || status === 304;
  const answer: Answer = {
    status: status ?? base.status,
    headers: { ...(body === undefined && base.headers), ...headers },
    body: hasNoBody ? EMPTY : (body ?? base.body),
  };
  return resolved(answer, 'script', { delay: script.delay(), fault });
}

/** All of one shape, with nothing left out: V8 is several times as slow with many shapes. */
export function resolved(
  answer: Answer,
  source: Source,
  { file, variant, delay, fault }: Partial<Omit<Resolved, 'answer' | 'source'>> = {},
): Resolved {
  return { answer, source, file, variant, delay, fault };
}

const EMPTY = Buffer.alloc(0);
