import { distance } from 'fastest-levenshtein';

/** Longer names are not compared, which would be slow, in characters. */
const MAX_COMPARED_LENGTH = 200;
/** The maximum share of mistyped letters. */
const MAX_MISTYPED = 0.4;

/**
 * The known name that a mistyped one most likely means, if there is one. Paths and names of
 * operations are compared segment by segment.
 */
export function closestName<Name extends string>(
  given: string,
  known: readonly Name[],
): Name | undefined {
  if (given.length > MAX_COMPARED_LENGTH) return undefined;
  let closest: Name | undefined;
  let fewest = Infinity;
  for (const name of known) {
    const mistakes = mistakesIn(given.toLowerCase().split('/'), name.toLowerCase().split('/'));
    if (mistakes < fewest) [closest, fewest] = [name, mistakes];
  }
  return closest;
}

/** `Did you mean "status"?`, or another sentence if no name is close. */
export function advice(
  given: string,
  known: readonly string[],
  otherwise = `Use only ${known.join(', ')}.`,
): string {
  const name = closestName(given, known);
  return name === undefined ? otherwise : `Did you mean "${name}"?`;
}

/** The number of mistyped letters; infinite if the name is another one. */
function mistakesIn(given: readonly string[], known: readonly string[]): number {
  if (given.length !== known.length) return Infinity;
  const counts = known.map((segment, index) => mistakesInSegment(given[index] ?? '', segment));
  return counts.reduce((sum, count) => sum + count, 0);
}

function mistakesInSegment(given: string, known: string): number {
  // A path parameter can be anything.
  if (/^[:{]/.test(known)) return given === '' ? Infinity : 0;
  // The edit distance counts two swapped letters as two mistakes.
  const isSwapped = given !== known && sorted(given) === sorted(known);
  const mistakes = isSwapped ? 1 : distance(given, known);
  const isBeginning = given.length > 2 && known.startsWith(given);
  return isBeginning || mistakes <= given.length * MAX_MISTYPED ? mistakes : Infinity;
}

function sorted(text: string): string {
  return [...text].sort().join('');
}
