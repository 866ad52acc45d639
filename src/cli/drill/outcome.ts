import type { DrillOutcome } from '../../drill/application.ts';
import { closestName } from '../../mock/closest-name.ts';
import type { OutcomeCall } from './config.ts';
import { shortened } from './output.ts';

/** A page, JSON, or nothing is not a state. */
const WORD = /^[^{}[\]<>"\n]{1,100}$/;
const MAX_SHOWN_WORD = 100;
const MAX_SHOWN_MEMBERS = 10;

/** The JSON has another name for what the configuration names: no other response makes that right. */
export class MistypedField extends Error {}

/**
 * Reads what the application believes about an order.
 *
 * @param text the body of a response, or the last line of standard output
 * @throws Error with the end of a sentence, such as `is not JSON.`
 * @throws MistypedField with the same
 */
export function readOutcome(
  text: string,
  { field, fulfilled, paid = ['paid'], failed = ['failed'] }: OutcomeCall,
): DrillOutcome & { note?: string } {
  const json = field === undefined ? undefined : parsed(text);
  const given = field === undefined ? wordIn(text) : valueAt(json, field);
  if (typeof given === 'object' && given !== null) {
    throw new Error(
      `has no text at ${field}, but ${Array.isArray(given) ? 'a list' : 'an object'}.`,
    );
  }
  const is = (words: readonly string[]) => words.some((word) => isSameWord(word, `${given}`));
  const state = is(paid) ? 'paid' : is(failed) ? 'failed' : 'pending';
  const isPlain = state !== 'pending' || isSameWord('pending', `${given}`);
  const word = shortened(JSON.stringify(given), MAX_SHOWN_WORD);
  const lists = `it is neither in paid (${paid.join(', ')}) nor in failed (${failed.join(', ')})`;
  return {
    state,
    ...(fulfilled !== undefined && { fulfilled: countAt(json, fulfilled) }),
    // An application that calls it "cancelled" would never be judged as failed.
    ...(!isPlain && { note: `Its ${field ?? 'outcome'} ${word} counts as pending: ${lists}.` }),
  };
}

export function isSameWord(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function wordIn(text: string): string {
  const word = text.trim().replace(/^"(.*)"$/, '$1');
  if (WORD.test(word)) return word;
  throw new Error('is not one word. Set outcome.field to the path of the state in the JSON.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('is not JSON.');
  }
}

function countAt(json: unknown, path: string): number {
  const value = valueAt(json, path);
  const count = Array.isArray(value) ? value.length : value;
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count;
  throw new Error(`has neither a whole number nor a list at ${path}.`);
}

function valueAt(json: unknown, path: string): unknown {
  const names = path.split('.');
  let value = json;
  for (const [at, name] of names.entries()) {
    const members = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    if (!members.includes(name)) {
      const closest = closestName(name, members);
      if (closest !== undefined) {
        const fix = `Did you mean "${names.with(at, closest).join('.')}"?`;
        throw new MistypedField(`has no member ${path}. ${fix}`);
      }
      throw new Error(`has no member ${path}. ${membersIn(names, at, members)}`.trimEnd());
    }
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** @param members what is there instead of the name at this index */
function membersIn(names: readonly string[], at: number, members: readonly string[]): string {
  if (members.length === 0) return '';
  const all = members
    .slice(0, MAX_SHOWN_MEMBERS)
    .map((name) => names.toSpliced(at, Infinity, name).join('.'));
  return `It has ${all.join(', ')}${members.length > all.length ? ', …' : ''}.`;
}
