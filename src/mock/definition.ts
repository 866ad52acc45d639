/**
 * What a value may be: a JSON Schema, made with TypeBox. Its type is kept apart from TypeBox's
 * types, because the published type declarations must not import TypeBox.
 */
export interface Definition<Value> {
  /** For the compiler only. The name is TypeBox's, so that its `Static` finds the type. */
  readonly '~unsafe': Value;
  /** For the compiler only: a field that one of the two types lacks is an error. */
  readonly '~fields'?: (value: Required<Value>) => Required<Value>;
}
