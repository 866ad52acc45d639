import { closest, distance } from 'fastest-levenshtein';

/**
 * Whether the name of an unknown field is or contains a secret, so that no error may repeat it.
 *
 * @param known the names of the fields that there are
 */
export type IsSecret = (name: string, known: readonly string[]) => boolean;

/** The maximum length of a name that an error repeats, in characters. */
const MAX_QUOTED_LENGTH = 40;

/**
 * For what a handler gives, whose errors are logged: only a name that looks mistyped is repeated, since
 * any other may be a value of a client.
 */
export const unlessMistyped: IsSecret = (name, known) => nearest(name, known) === undefined;

/** Whether a name is short and plain enough for an error. */
export function isPlainName(name: string): boolean {
  return name.length <= MAX_QUOTED_LENGTH && /^[\w.-]+$/.test(name);
}

/**
 * What is wrong with an unknown field.
 *
 * @param name empty if no error may repeat it
 */
export function unknownField(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const advice = meant === undefined ? `Use only ${known.join(', ')}` : `Did you mean "${meant}"?`;
  return `unknown field. ${advice}`;
}

/** The known name that was probably meant by another one. To compare a long one would take long. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_QUOTED_LENGTH) return undefined;
  const found = closest(name, known);
  return distance(name, found) <= name.length * 0.4 ? found : undefined;
}
