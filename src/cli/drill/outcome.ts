import type { DrillOutcome } from '../../drill/application.ts';
import type { OutcomeCall } from './config.ts';

/** A page, JSON, or nothing is not a state. */
const WORD = /^[^{}[\]<>"\n]{1,100}$/;

/**
 * Reads what the application believes about an order.
 *
 * @param text the body of a response, or the last line of standard output
 * @throws Error with the end of a sentence
 */
export function readOutcome(
  text: string,
  { member, fulfilled, paid = ['paid'], failed = ['failed'] }: OutcomeCall,
): DrillOutcome {
  const json = member === undefined ? undefined : parsed(text);
  const state = member === undefined ? wordIn(text) : valueAt(json, member);
  if (typeof state === 'object' && state !== null) throw new Error(`${member} is not text`);
  const is = (words: readonly string[]) => words.some((word) => isSameWord(word, `${state}`));
  return {
    state: is(paid) ? 'paid' : is(failed) ? 'failed' : 'pending',
    ...(fulfilled !== undefined && { fulfilled: countAt(json, fulfilled) }),
  };
}

export function isSameWord(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function wordIn(text: string): string {
  const word = text.trim().replace(/^"(.*)"$/, '$1');
  if (WORD.test(word)) return word;
  throw new Error('it is not one word. Set member');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
}

function countAt(json: unknown, path: string): number {
  const value = valueAt(json, path);
  const count = Array.isArray(value) ? value.length : value;
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count;
  throw new Error(`${path} is neither a whole number nor a list`);
}

function valueAt(json: unknown, path: string): unknown {
  let value = json;
  for (const name of path.split('.')) {
    const isObject = typeof value === 'object' && value !== null;
    value = isObject && Object.hasOwn(value as object, name) ? (value as never)[name] : undefined;
  }
  if (value === undefined) throw new Error(`it has no member ${path}`);
  return value;
}
