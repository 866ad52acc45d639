import * as Type from 'typebox';

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
