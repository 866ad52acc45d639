import type { Reply } from './call.ts';

/** How a question for the state can break. `unknown`: the provider says that there is no such payment. */
export type Break = 'timeout' | 'reset' | 'cut' | 'html' | 'unknown' | '429' | '500';

/** What a shop takes for the end of a payment. */
export interface BreakFaults {
  readonly readsAsFailed?: Break;
  readonly readsAsPaid?: Break;
}

/**
 * What a shop with faults reads from a question that broke; undefined if it reads nothing from it.
 *
 * @param isUnknown whether a response says that there is no such payment
 */
export async function misread(
  asked: Promise<Reply>,
  { readsAsFailed, readsAsPaid }: BreakFaults,
  isUnknown: (reply: Reply) => boolean,
): Promise<'failed' | 'paid' | undefined> {
  const broken = await asked.then((reply) => breakOf(reply, isUnknown), breakOfError);
  if (broken === undefined) return undefined;
  if (broken === readsAsFailed) return 'failed';
  return broken === readsAsPaid ? 'paid' : undefined;
}

function breakOf(reply: Reply, isUnknown: (reply: Reply) => boolean): Break | undefined {
  const { status, json } = reply;
  if (isUnknown(reply)) return 'unknown';
  if (status === 429 || status === 500) return `${status}`;
  return status === 200 && json === undefined ? 'html' : undefined;
}

/** What `call` throws. Without a token there was no question. */
function breakOfError({ name, message, code }: NodeJS.ErrnoException): Break | undefined {
  if (/^(Abort|Timeout)Error$/.test(name)) return 'timeout';
  if (code !== 'ECONNRESET') return undefined;
  // Node says so of a response that has begun.
  return message === 'aborted' ? 'cut' : 'reset';
}
