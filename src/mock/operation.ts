import { MomoMockError } from '../errors.ts';
import type { Answer } from './answer.ts';
import type { ResponseFile, ScriptedAnswer } from './scripted-response.ts';

/** A piece of a path between two slashes: fixed text, or a parameter that stands for any text. */
export type Segment = { readonly literal: string } | { readonly parameter: string };

/** An answer that a file of the fixture tree holds. */
export interface Fixture extends Answer {
  /** The file it was read from, as a path that a person can open. */
  readonly file: string;
}

/** A variant that a file `<segment>.<method>.<variant>.response.json` scripts: slow, or broken. */
export interface ScriptedFixture {
  /** The file it was read from, as a path that a person can open. */
  readonly file: string;
  /** As the file has it. */
  readonly given: ResponseFile;
  readonly script: ScriptedAnswer;
}

/** What a body of one operation must look like, from `<segment>.<method>.schema.json`. */
export interface BodySchema {
  /** The file it was read from, as a path that a person can open. */
  readonly file: string;
  /** The JSON Schema itself. */
  readonly schema: unknown;
  /**
   * What is wrong with a body (a value as `JSON.parse` gives it), a phrase each, such as
   * `/balance must be array`. Empty where the body is as the schema wants it.
   */
  validate(body: unknown): string[];
}

/** One operation of the service: a method on a path, and the answers that its files hold. */
export interface Operation {
  /** HTTP method in upper case. */
  readonly method: string;
  /** For people and for settings, such as `GET /momo/status/:reference`. */
  readonly name: string;
  /** The path in it. */
  readonly template: string;
  readonly segments: readonly Segment[];
  /** The answer of `<segment>.<method>.json`, which has no variant. */
  readonly default: Fixture;
  /** What the files `<segment>.<method>.<variant>.*` hold, by variant. */
  readonly variants: ReadonlyMap<string, Fixture | ScriptedFixture>;
  /** What every 2xx body of the operation must look like, where its author says so. */
  readonly schema?: BodySchema;
}

/** All that the service can say, read from files as a whole. */
export interface FixtureTree {
  readonly operations: readonly Operation[];
  /** The bodies of `errors/NNN`, by status code. */
  readonly errors: ReadonlyMap<number, Fixture>;
}

/** The operation that is shipped, and the one that is meant where none is named. */
export const BALANCE = 'GET /momo/balance';

/** The names of all variants that there are, in order. */
export function variantNames(operations: readonly Operation[]): string[] {
  return [...new Set(operations.flatMap(({ variants }) => [...variants.keys()]))].sort();
}

/**
 * Finds an operation by its name.
 *
 * @throws MomoMockError `MOMO_MOCK_OPERATION_UNKNOWN`
 */
export function findOperation(operations: readonly Operation[], name: string): Operation {
  const found = operations.find((operation) => operation.name === name);
  if (found !== undefined) return found;
  const all = operations.map((operation) => operation.name).join(', ');
  const text = `Failed to find the operation: no fixture file makes it. There are: ${all}.`;
  throw new MomoMockError('MOMO_MOCK_OPERATION_UNKNOWN', text);
}

/**
 * Checks that there is a variant.
 *
 * @throws MomoMockError `MOMO_MOCK_VARIANT_UNKNOWN`
 */
export function checkVariant(operations: readonly Operation[], variant: string): void {
  const known = variantNames(operations);
  if (known.includes(variant)) return;
  const text = `Failed to find the variant: no fixture file is of it. There are: ${known.join(', ')}.`;
  throw new MomoMockError('MOMO_MOCK_VARIANT_UNKNOWN', text);
}

/**
 * The path of an operation as a pattern for Fastify's router, such as
 * `/momo/status/:reference([^/]+)`. It matches the paths that {@link routePath} makes. A parameter
 * stands for some text: without the expression, the router would let it stand for none.
 */
export function routePattern(segments: readonly Segment[]): string {
  const parts = segments.map((segment) =>
    'parameter' in segment
      ? `:${segment.parameter}([^/]+)`
      : escapeForRouter(segment.literal).replaceAll(':', '::'),
  );
  return `/${parts.join('/')}`;
}

/**
 * The path of a request as Fastify's router has to be given it, so that the same text matches
 * however a client percent-encodes it. `decodeURIComponent` of a parameter's value gives the text
 * that the client sent.
 *
 * @param segments - Percent-decoded. An empty one at the end stands for a slash there.
 */
export function routePath(segments: readonly string[]): string {
  return encodeURI(`/${segments.map(escapeForRouter).join('/')}`);
}

/**
 * Escapes what has a meaning in a pattern or in a path: the router decodes everything else in a
 * path, and nothing in a pattern. It also escapes `İ`, the one letter whose lower case is longer:
 * a router that ignores letter case would lose the place of what follows it.
 */
function escapeForRouter(text: string): string {
  return text.replace(/[%#?*/\u0130]/g, (letter) =>
    letter === '*' ? '%2A' : encodeURIComponent(letter),
  );
}
