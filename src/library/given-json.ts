import { invalid } from '../errors.ts';
import { writeJson } from '../mock/json/exact-json.ts';
import { MAX_LEVELS } from '../mock/limits.ts';

export type Json<Value> = string & {
  /** Exists only at compile time. */
  readonly '~value'?: Value;
};

/**
 * Converts a value from a test to JSON. Refuses what JSON would silently drop or change. The mock
 * checks the rest.
 *
 * @param isOptional whether the fields of an object may be `undefined`
 */
export function jsonGiven<Value>(
  value: Value,
  name: string,
  isOptional: (holder: unknown) => boolean = () => true,
): Json<Value> {
  const refuse = (loss: string) =>
    invalid(
      name,
      `${loss} cannot be written as JSON. Use objects, lists, strings, numbers, true, false and null`,
    );
  try {
    return writeJson(value, (item, parent) => {
      const isList = Array.isArray(parent);
      const loss =
        item === undefined && !isList && !isOptional(parent) ? 'undefined' : lossOf(item, isList);
      if (loss !== undefined) throw refuse(loss);
    });
  } catch (error) {
    // The stack or the text is too long, before the mock can check the levels.
    if (error instanceof RangeError) {
      const problem = `it is too deep or too long. Use at most ${MAX_LEVELS} levels of lists and objects`;
      throw invalid(name, problem);
    }
    // A circular reference, or a getter that throws.
    throw error instanceof TypeError ? refuse('a circle') : error;
  }
}

/**
 * Converts an expectation to JSON. Refuses `undefined`, which JSON drops, so that more would match,
 * and whole numbers that JavaScript may have rounded, so that the expectation would be about another
 * number.
 */
export function jsonExpected<Value>(expected: Value): Json<Value> {
  const steps: unknown[] = [Object(expected).exactly ?? expected].flat();
  for (const step of steps) {
    const fields = Object.entries(Object(step)).filter(([name]) => name !== 'times');
    if (fields.length === 0 || fields.some(([, value]) => value !== undefined)) continue;
    const names = fields.map(([name]) => name).join(', ');
    throw invalid('expected', `everything matches if ${names} is undefined. Give it a value`);
  }
  const json = jsonGiven(expected, 'expected', (holder) => steps.includes(holder));
  writeJson(expected, (item) => {
    if (!Number.isInteger(item) || Number.isSafeInteger(item)) return;
    const problem = `JavaScript may have rounded ${item}, which is not a safe integer`;
    throw invalid('expected', `${problem}. Write it as a bigint, such as 12345678901234567890n`);
  });
  return json;
}

/** What JSON would drop or change. */
function lossOf(value: unknown, isInList: boolean): string | undefined {
  if (value === undefined) return isInList ? 'undefined in a list' : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${value}`;
  if (['function', 'symbol'].includes(typeof value)) return `a ${typeof value}`;
  // For example a Map, whose content is not in properties.
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  const name = isEmpty && Object.getPrototypeOf(value)?.constructor?.name;
  return name && name !== 'Object' && name !== 'Array' ? `a ${name}` : undefined;
}
