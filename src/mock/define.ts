import type { Static, TSchema } from 'typebox';
import type { Definition } from './definition.ts';

/**
 * Creates a definition from a TypeBox schema: `const DELAY: Definition<Delay> = define(…)`. It does
 * not compile if the schema and the type differ.
 *
 * A definition for `check` has an `$id`, the name of its component in `/openapi.json`. Its `title`
 * describes the allowed values, if the generated description is not good enough. A rule about
 * several fields is a `Refine`, whose error starts with the name of the field to report: `min: must
 * be at most max`.
 */
export function define<Schema extends TSchema>(schema: Schema): Definition<Static<Schema>> {
  return schema as unknown as Definition<Static<Schema>>;
}
