import { AS_JSON, describeRoutes, ROUTES } from '../support/program.ts';
import { code, prose } from './markdown.ts';

/** The part of JSON Schema that `/openapi.json` uses. */
export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Content {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, Schema>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** What `/openapi.json` serves. */
export const OPENAPI = JSON.parse(JSON.stringify(describeRoutes(ROUTES, '', false))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** A request of the control API, such as `GET /state/{name}`, and its description. */
export const REQUESTS: readonly (readonly [name: string, operation: Operation])[] = Object.entries(
  OPENAPI.paths,
).flatMap(([path, operations]) =>
  Object.entries(operations).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
  ),
);

/** The requests at one of these paths, or below it. */
export function requestsAt(paths: string) {
  return REQUESTS.filter(([name]) => {
    const path = name.slice(name.indexOf(' ') + 1);
    return paths.split(' ').some((one) => path === one || path.startsWith(`${one}/`));
  });
}

export function isPerAccount({ parameters = [] }: Operation): boolean {
  return parameters.some((one) => one.name === 'apikey');
}

export function firstOf(given: Schema): Schema {
  const schema = resolved(given);
  const [first] = schema.anyOf ?? [];
  return first === undefined ? schema : resolved(first);
}

export function component(name: string): Schema {
  const schema = OPENAPI.components.schemas[name];
  if (schema === undefined) throw new Error(`there is no schema ${name}`);
  return schema;
}

export function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : component(nameOf(schema.$ref));
}

export function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}

export function defaultOf({ default: fallback }: Schema): string {
  return fallback === undefined ? '' : code(String(fallback));
}

/** The type of a schema with the values that it allows. */
export function typeOf(given: Schema): string {
  const schema = resolved(given);
  const { title, type, anyOf, properties, items } = schema;
  if (title !== undefined) return title.startsWith(AS_JSON) ? 'JSON' : prose(title);
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((one) => code(String(one))).join(', ');
  if ('const' in schema) return code(String(schema.const));
  if (type === 'array') return `array of ${items === undefined ? 'JSON' : typeOf(items)}`;
  if (properties !== undefined)
    return `an object of ${Object.keys(properties).map(code).join(', ')}`;
  return `${type ?? 'JSON'}${rangeOf(schema)}`;
}

function rangeOf({ minimum = 0, maximum }: Schema): string {
  const count = (value: number) => value.toLocaleString('en');
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) {
    return `, ${count(minimum)} to ${count(maximum)}`;
  }
  return minimum === 0 ? '' : ` from ${minimum}`;
}
