import { advice, closestName } from '../closest-name.ts';

/** Whether the name of an unknown field is or contains a secret, so that no error may repeat it. */
export type IsSecret = (name: string, known: readonly string[]) => boolean;

const MAX_QUOTED_LENGTH = 40;

/**
 * For a handler's input. Its errors are logged, so they repeat a name only if it looks mistyped.
 * Any other name may be a client's value.
 */
export const unlessMistyped: IsSecret = (name, known) => closestName(name, known) === undefined;

/** Whether an error may quote a name. */
export function isPlainName(name: string): boolean {
  return name.length <= MAX_QUOTED_LENGTH && /^[\w.-]+$/.test(name);
}

/** @param place the whole path of the field */
export function unknownField(place: string, name: string, known: readonly string[]): string {
  return `unknown field "${place}". ${advice(name, known)}`;
}

/** @param place the object that has the field */
export function unnamedField(place: string, known: readonly string[]): string {
  return `unknown field in ${place}. Use only ${known.join(', ')}.`;
}
