import type { TSchemaOptions } from 'typebox';
import * as Type from 'typebox';
import { MAX_LEVELS } from '../limits.ts';
import { define } from './define.ts';
import type { Definition } from './definition.ts';
import { jsonOf } from './json-of.ts';

export const AS_JSON = `a value that can be written as JSON, with at most ${MAX_LEVELS} levels`;

export function jsonValue(options: TSchemaOptions): Definition<unknown> {
  return define(
    Type.Refine(
      Type.Unknown({ title: AS_JSON, ...options }),
      (value) => jsonOf(value) !== undefined,
    ),
  );
}
