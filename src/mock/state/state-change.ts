import * as Type from 'typebox';
import { closedObject, define, jsonValue, withRule } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { MAX_STATE_NAME_LENGTH, MAX_STATE_NAMES } from '../limits.ts';
import { SCHEMA_OF_EDITOR } from '../responses/scripted-response.ts';

export function stateValues(description: string): Definition<Readonly<Record<string, unknown>>> {
  return define(
    Type.Record(Type.String(), jsonValue({ description: 'A value.' }), {
      title: 'an object with names, and values that can be written as JSON',
      description,
    }),
  );
}

/** The content of `state.json`, for editors. */
export const STATE_FILE = Type.Object(
  { $schema: Type.Optional(SCHEMA_OF_EDITOR) },
  {
    description: 'The initial state of handlers: values by name.',
    additionalProperties: jsonValue({ description: 'Any JSON value.' }),
    propertyNames: { minLength: 1, maxLength: MAX_STATE_NAME_LENGTH },
    maxProperties: MAX_STATE_NAMES + 1,
  },
);

/** Changes that are written together. */
export const STATE_CHANGE = define(
  withRule(
    closedObject(
      {
        set: Type.Optional(stateValues('The values to set, by name.')),
        delete: Type.Optional(
          Type.Immutable(
            Type.Array(Type.String(), {
              description: 'The names of the values to delete.',
              maxItems: MAX_STATE_NAMES,
            }),
          ),
        ),
      },
      {
        $id: 'StateChange',
        examples: [{ set: { 'deposits/7f3a': { status: 'success' } }, delete: ['deposits/9b1c'] }],
      },
    ),
    ({ set = {}, delete: names = [] }) =>
      names.some((name) => Object.hasOwn(set, name))
        ? ['delete', 'must not have a name that is also in set']
        : undefined,
  ),
);
