/**
 * A JSON Schema for a value, created with TypeBox. This type does not use TypeBox's types, because
 * the published type declarations must not import TypeBox.
 */
export interface Definition<Value> {
  /** Exists only at compile time. TypeBox's `Static` finds the type by this name. */
  readonly '~unsafe': Value;
  /** Exists only at compile time. Compilation fails if one of the two types lacks a field. */
  readonly '~fields'?: (value: Required<Value>) => Required<Value>;
}
