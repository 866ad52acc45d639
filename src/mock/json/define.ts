import type { Static, TRefine, TSchema, TSchemaOptions } from 'typebox';
import * as Type from 'typebox';
import { MAX_LEVELS } from '../limits.ts';
import type { Definition } from './definition.ts';
import { jsonOf } from './json-of.ts';

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

/** An optional whole number from 0, unless the options say otherwise. */
export const integer = (description: string, options: object = {}) =>
  Type.Optional(
    Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...options }),
  );

export const oneOf = <const Value extends string>(
  values: Value[],
  description: string,
  options: object = {},
) => Type.Optional(Type.Enum(values, { description, ...options }));

export const flag = (description: string, options: object = {}) =>
  Type.Optional(Type.Boolean({ description, ...options }));

export const text = (description: string, options: object = {}) =>
  Type.Optional(Type.String({ description, ...options }));

/** An object without other fields. */
export const closedObject = <Fields extends Type.TProperties>(
  fields: Fields,
  options: Type.TObjectOptions = {},
) => Type.Object(fields, { additionalProperties: false, ...options });

export const AS_JSON = `a value that can be written as JSON, with at most ${MAX_LEVELS} levels`;

export function jsonValue(options: TSchemaOptions): Definition<unknown> {
  return define(
    Type.Refine(
      Type.Unknown({ title: AS_JSON, ...options }),
      (value) => jsonOf(value) !== undefined,
    ),
  );
}
