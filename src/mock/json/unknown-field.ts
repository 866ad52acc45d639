import { closest, distance } from 'fastest-levenshtein';

/** Whether the name of an unknown field is or contains a secret, so that no error may repeat it. */
export type IsSecret = (name: string, known: readonly string[]) => boolean;

const MAX_QUOTED_LENGTH = 40;

/**
 * For a handler's input. Its errors are logged, so they repeat a name only if it looks mistyped.
 * Any other name may be a client's value.
 */
export const unlessMistyped: IsSecret = (name, known) => nearest(name, known) === undefined;

/** Whether an error may quote a name. */
export function isPlainName(name: string): boolean {
  return name.length <= MAX_QUOTED_LENGTH && /^[\w.-]+$/.test(name);
}

/** @param name empty if no error may repeat it */
export function unknownField(name: string, known: readonly string[]): string {
  const suggestion = nearest(name, known);
  const advice =
    suggestion === undefined ? `Use only ${known.join(', ')}` : `Did you mean "${suggestion}"?`;
  return `unknown field. ${advice}`;
}

/** The most similar known name, if it is similar enough. Skips long names, whose comparison is slow. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_QUOTED_LENGTH) return undefined;
  const nearestName = closest(name, known);
  return distance(name, nearestName) <= name.length * 0.4 ? nearestName : undefined;
}
