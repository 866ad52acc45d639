import { readRateLimit } from '../mock/account/rate-limit.ts';
import { isKeyPlace } from '../mock/requests/key-rule.ts';
import { canonicalName } from '../tls/names.ts';

/** The part of JSON Schema that the settings use. `default` is the default of the setting. */
export type Schema = { readonly default?: unknown } & (
  | {
      readonly type: 'string';
      readonly minLength?: number;
      readonly enum?: readonly string[];
      readonly format?: keyof typeof FORMATS;
    }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'array'; readonly items: Schema }
  | { readonly anyOf: readonly Schema[] }
  | {
      readonly type: 'object';
      readonly properties: Readonly<Record<string, Schema>>;
      readonly required: readonly string[];
      readonly additionalProperties: false;
    }
);

/** The words that a value may be. */
export function wordsOf(schema: Schema): readonly string[] {
  if ('anyOf' in schema) return schema.anyOf.flatMap(wordsOf);
  return 'enum' in schema ? (schema.enum ?? []) : [];
}

/** Whether it may be any text: a number and a word of a list have no key in them. */
export function isText(schema: Schema): boolean {
  if ('anyOf' in schema) return schema.anyOf.some(isText);
  if (schema.type === 'array') return isText(schema.items);
  const isClosed =
    schema.type === 'string' && (schema.enum !== undefined || schema.format === 'rate');
  return !isClosed && schema.type !== 'integer' && schema.type !== 'boolean';
}

export function objectSchema(
  members: Readonly<Record<string, { readonly schema: Schema }>>,
): object {
  const schemas = Object.entries(members).map(([name, { schema }]) => [name, schema]);
  return { type: 'object', properties: Object.fromEntries(schemas) };
}

export type ValueOf<S> = S extends { readonly anyOf: readonly (infer Part)[] }
  ? ValueOf<Part>
  : S extends { readonly enum: readonly (infer Word)[] }
    ? Word
    : S extends { readonly type: 'integer' }
      ? number
      : S extends { readonly type: 'boolean' }
        ? boolean
        : S extends { readonly type: 'array' }
          ? readonly string[]
          : string;

export const FORMATS = {
  host: (text: string) => canonicalName(text) !== undefined,
  'key place': isKeyPlace,
  rate: (text: string) => readRateLimit(text) !== undefined,
  real: (text: string) => URL.canParse(text) && /^https:\/\/[^@?#]+$/i.test(text),
  origin: (text: string) => URL.canParse(text) && new URL(text).origin === text,
} as const;
