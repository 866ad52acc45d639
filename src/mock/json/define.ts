import type { Static, TRefine, TSchema } from 'typebox';
import * as Type from 'typebox';
import type { Definition } from './definition.ts';

/**
 * Creates a definition from a TypeBox schema: `const DELAY: Definition<Delay> = define(…)`. It does
 * not compile if the schema and the type differ.
 *
 * A definition for `check` has an `$id`, the name of its component in `/openapi.json`. Its `title`
 * describes the allowed values, if the generated description is not good enough.
 */
export function define<Schema extends TSchema>(schema: Schema): Definition<Static<Schema>> {
  return schema as unknown as Definition<Static<Schema>>;
}

export type FieldProblem = readonly [field: string, problem: string];

/** A rule of `check` about several fields. */
export interface FieldRule {
  findProblem(value: unknown): FieldProblem | undefined;
}

export function withRule<Schema extends TSchema>(
  schema: Schema,
  findProblem: (value: Static<Schema>) => FieldProblem | undefined,
) {
  const refined = Type.Refine(schema, (value) => findProblem(value) === undefined);
  const rule: FieldRule = { findProblem };
  Object.assign((refined as TRefine)['~refine'].at(-1) ?? {}, rule);
  return refined;
}
