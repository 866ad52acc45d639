import * as Type from 'typebox';
import { Check } from 'typebox/schema';
import type { Definition } from '../json/definition.ts';
import { isTooDeep } from '../json/json-of.ts';
import { MAX_BODY_LEVELS, MAX_LEVELS } from '../limits.ts';

export * as Type from 'typebox';
export { closedObject } from '../json/define.ts';
export { RESPONSE } from '../responses/scripted-response.ts';
export { WEBHOOK } from '../webhooks/webhook.ts';
export { WEBHOOK_SCRIPT } from '../webhooks/webhook-script.ts';

export type Form = Type.TSchema;

/** What is saved of a thing that is remembered. */
export type Saved<Thing extends { form(forms: never): Form }> = Type.Static<
  ReturnType<Thing['form']>
>;

export const count = (maximum = Number.MAX_SAFE_INTEGER, minimum = 0) =>
  Type.Integer({ minimum, maximum });

/** JSON as text, so that no number changes. */
export const jsonText = <Value>(
  title: string,
  schema?: Definition<Value> | Form,
  isAllowed: (value: Value) => boolean = () => true,
) =>
  Type.Refine(
    Type.String({ title: `${title}, as JSON in a string with at most ${MAX_LEVELS} levels` }),
    (text) => {
      // What has a schema is around a value that has its own check.
      if (isTooDeep(text, schema === undefined ? MAX_LEVELS : MAX_BODY_LEVELS)) return false;
      try {
        const value = JSON.parse(text) as Value;
        return Check((schema ?? Type.Unknown()) as Form, value) && isAllowed(value);
      } catch {
        return false;
      }
    },
  );
