/**
 * A JSON Schema for a value, made with TypeBox. This type does not use TypeBox's types, because the
 * published type declarations must not import TypeBox.
 */
export interface Definition<Value> {
  /** Only for the compiler. TypeBox's `Static` finds the type by this name. */
  readonly '~unsafe': Value;
  /** Only for the compiler: if one of the two types lacks a field, that is an error. */
  readonly '~fields'?: (value: Required<Value>) => Required<Value>;
}
