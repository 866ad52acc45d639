import { type Shape, typeOf, typesOf } from './shape.ts';
import { formatIn, formatOf } from './text-format.ts';

/** A difference between an expected and a received shape. Contains no value. */
export interface Finding {
  /** Breaking: clients may fail. Additive: there is more than expected. Unchecked: nothing to compare. */
  readonly kind: 'breaking' | 'additive' | 'unchecked';
  /** The place, such as `balance[].amount`; `*` is every name in a map. */
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}

export const NO_MEMBER = 'no member';

export function breaking(path: string, expected: string, received: string): Finding {
  return { kind: 'breaking', path, expected, received };
}

/** Text such as `balance[].amount: expected number, received string (decimal)`. */
export function findingText({ path, expected, received }: Finding): string {
  return `${path}: expected ${expected}, received ${received}`;
}

export function describeValue(value: unknown): string {
  return withFormat(typeOf(value), typeof value === 'string' ? formatOf(value)?.name : undefined);
}

/** The types and the format that a schema allows; `undefined` if it names none. */
export function describeSchema(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const format = formatIn(schema as Shape)?.name ?? (schema as Shape).format;
  const types = typesOf(schema).map((type) =>
    type === 'string' ? withFormat(type, format) : type,
  );
  return types.join(' or ') || undefined;
}

function withFormat(type: string, format: string | undefined): string {
  return format === undefined ? type : `${type} (${format})`;
}
