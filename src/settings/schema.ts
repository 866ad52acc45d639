import { readRateLimit } from '../mock/rate-limit.ts';
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
);

/** The type of the values that a schema allows. */
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

/** The check for each string format that the schemas use. */
export const FORMATS = {
  host: (text: string) => canonicalName(text) !== undefined,
  rate: (text: string) => readRateLimit(text) !== undefined,
  store: isStoreUrl,
  real: (text: string) => URL.canParse(text) && /^https:\/\/[^@?#]+$/i.test(text),
  origin: (text: string) => URL.canParse(text) && new URL(text).origin === text,
} as const;

function isStoreUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, pathname } = new URL(text);
  return (
    /^(redis|rediss|valkey|valkeys):$/.test(protocol) &&
    hostname !== '' &&
    /^(\/\d*)?$/.test(pathname) &&
    // A percent sign of a password must be encoded.
    /^(%[\da-f]{2}|[^%])*$/i.test(username + password)
  );
}

/** Whether a value satisfies a schema. Unlike @fastify/env, it does not convert the value first. */
export function isAllowed(schema: Schema, value: unknown): boolean {
  if ('anyOf' in schema) return schema.anyOf.some((part) => isAllowed(part, value));
  switch (schema.type) {
    case 'array':
      return Array.isArray(value) && value.every((item) => isAllowed(schema.items, item));
    case 'integer':
      return Number.isInteger(value) && isBetween(schema.minimum, Number(value), schema.maximum);
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return (
        typeof value === 'string' &&
        value.length >= (schema.minLength ?? 0) &&
        (schema.enum?.includes(value) ?? true) &&
        (schema.format === undefined || FORMATS[schema.format](value))
      );
  }
}

function isBetween(minimum: number, value: number, maximum: number): boolean {
  return minimum <= value && value <= maximum;
}
