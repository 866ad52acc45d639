import { canonicalName } from '../tls/names.ts';

/** A kind of setting: how it is checked, how that is said to a person, and what is read from it. */
export interface Kind<Checked, Read> {
  /** JSON Schema that @fastify/env checks and coerces by; its default is the setting's default. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** What is allowed, to follow "Give". */
  readonly allowed: string;
  /** Makes the value of the configuration from what the schema has let through. */
  readonly read: (checked: Checked) => Read;
}

type Text = Kind<string, string>;

/** Names of string formats that are used by the schemas, and their checks. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  hosts: (text) => words(text).every((host) => canonicalName(host) !== undefined),
  origins: (text) => ['*', 'off'].includes(text) || words(text).every(isOrigin),
};

/** Any text but the empty one. */
export function text(allowed: string): Text & { schema: { default?: never } };
/** The same, with a default. */
export function text(allowed: string, fallback: string): Text & { schema: { default: string } };
export function text(allowed: string, fallback?: string): Text {
  return {
    schema: { type: 'string', minLength: 1, ...withDefault(fallback) },
    allowed,
    read: same,
  };
}

/** A whole number. */
export function integer(minimum: number, maximum: number, fallback: number) {
  return {
    schema: { type: 'integer', minimum, maximum, default: fallback },
    allowed: `a whole number from ${minimum} to ${maximum}`,
    read: same<number>,
  };
}

/** A whole number, or `off`. */
export function integerOrOff(minimum: number, maximum: number, fallback: number) {
  return {
    schema: {
      anyOf: [{ const: 'off' }, { type: 'integer', minimum, maximum }],
      default: fallback,
    },
    allowed: `a whole number from ${minimum} to ${maximum}, or off`,
    read: same<number | 'off'>,
  };
}

/** `true` or `false`. */
export function yesOrNo(fallback: boolean) {
  return {
    schema: { type: 'boolean', default: fallback },
    allowed: 'true or false',
    read: same<boolean>,
  };
}

/** One of a few words. */
export function oneOf<const Word extends string>(words: readonly Word[], fallback: Word) {
  return {
    schema: { type: 'string', enum: words, default: fallback },
    allowed: `one of ${words.join(', ')}`,
    read: same<Word>,
  };
}

/** Host names and addresses for a certificate, by comma. */
export function hostList() {
  return {
    schema: { type: 'string', format: 'hosts', default: '' },
    allowed: 'host names or addresses by comma, such as momo,*.example.com,10.0.0.5',
    read: (list: string): readonly string[] =>
      words(list).flatMap((host) => canonicalName(host) ?? []),
  };
}

/** `*`, `off`, or origins by comma. */
export function originList(fallback: string) {
  return {
    schema: { type: 'string', format: 'origins', default: fallback },
    allowed: '*, off, or origins by comma, such as https://shop.example,http://localhost:3000',
    read: (list: string): '*' | 'off' | readonly string[] =>
      list === '*' || list === 'off' ? list : words(list),
  };
}

/** API keys by comma; what stands in them is checked where keys from all places come together. */
export function keyList() {
  return {
    schema: { type: 'string' },
    allowed: 'keys by comma, each KEY or KEY=VARIANT',
    read: (list: string): readonly string[] => list.split(',').map((entry) => entry.trim()),
  };
}

function isOrigin(origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).origin === origin;
}

function words(list: string): string[] {
  return list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function withDefault(fallback: string | undefined): { default?: string } {
  return fallback === undefined ? {} : { default: fallback };
}

function same<Value>(value: Value): Value {
  return value;
}
