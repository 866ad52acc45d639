import { MomoMockError } from '../../errors.ts';
import { advice } from '../closest-name.ts';
import type { MomoDrill } from '../ledger/momo-drill.ts';
import type { RequestSchema } from '../requests/request-schema.ts';
import type { HttpResponse } from '../responses/http-response.ts';
import type { PreparedResponse, ResponseFile } from '../responses/scripted-response.ts';
import type { MomoHandler } from './handler.ts';
import type { MomoOperation } from './operation-name.ts';

/** A part of a path between two slashes: fixed text, or a parameter that matches any text. */
export type Segment = { readonly literal: string } | { readonly parameter: string };

export function parameterNames(segments: readonly Segment[]): string[] {
  return segments.flatMap((part) => ('parameter' in part ? [part.parameter] : []));
}

export interface Fixture extends HttpResponse {
  readonly file: string;
}

/** From a file `<segment>.<method>[.<variant>].response.json`, such as a slow response. */
export interface ScriptedFixture {
  readonly file: string;
  readonly given: ResponseFile;
  readonly script: PreparedResponse;
}

/** A handler from a module of the fixture tree, such as `<segment>.<method>.js`. */
export interface HandlerFixture {
  readonly file: string;
  readonly handler: MomoHandler;
  /** Whether the module exports `open = true`. */
  readonly isOpen?: boolean;
  /** Whether the module exports `token = 'bearer'`. */
  readonly needsToken?: boolean;
}

export type AnyFixture = Fixture | ScriptedFixture | HandlerFixture;

/** From `<segment>.<method>.schema.json`. */
export interface BodySchema {
  readonly file: string;
  readonly schema: unknown;
  /**
   * The violations in a body (a value from `JSON.parse`).
   *
   * @param bytes the length of the body. For a large body, it returns only the first violation.
   * @param isShown whether a phrase may show a name of the body. @default shows all
   */
  violations(
    body: unknown,
    bytes?: number,
    isShown?: (name: string) => boolean,
  ): readonly BodyViolation[];
}

/** From `state.schema.json` of all layers: a schema for an object of values by name. */
export interface StateSchema extends Omit<BodySchema, 'file'> {
  readonly names: readonly string[];
  /** Regular expressions of further names. */
  readonly patterns: readonly string[];
  /** The file that guards a name, or that refuses unknown ones. */
  fileOf(name: string): string;
  /** Whether tests and `state.json` may set a name. */
  allows(name: string): boolean;
}

export interface BodyViolation {
  /** The names, or indexes, that lead to the value. */
  readonly path: readonly string[];
  /** The rule, such as `/balance must be array`. It contains names (possibly secrets), but no values. */
  readonly phrase: string;
}

export interface Operation {
  /** The method is in upper case. */
  readonly method: string;
  /** An example is `GET /momo/status/:reference`. */
  readonly name: MomoOperation;
  /** The path in the name. */
  readonly template: string;
  readonly segments: readonly Segment[];
  readonly identity: string;
  /** Whether it responds without a key, as its {@link HandlerFixture} says. */
  readonly isOpen?: boolean;
  /** Whether requests need a token of the account, as its {@link HandlerFixture} says. */
  readonly needsToken?: true;
  readonly default: AnyFixture;
  readonly variants: ReadonlyMap<string, AnyFixture>;
  /** Every 2xx body has to match it. */
  readonly schema?: BodySchema;
  readonly requestSchema?: RequestSchema;
}

export interface FixtureTree {
  /** Whether paths are case-sensitive and must not end with a slash. */
  readonly strictPaths: boolean;
  readonly operations: readonly Operation[];
  /** By status. An error has either a fixed response or a handler. */
  readonly errors: ReadonlyMap<number, Fixture>;
  readonly errorHandlers: ReadonlyMap<number, HandlerFixture>;
  /** The content of `state.json`. */
  readonly state?: Readonly<Record<string, unknown>>;
  readonly stateSchema?: StateSchema;
  /** Loads `drill.js`, if there is one. */
  readonly drill?: () => Promise<MomoDrill>;
  /** Reads a `.json` file, for handlers. */
  readonly read: (path: string) => Promise<unknown>;
}

export function variantNames(operations: readonly Operation[]): string[] {
  return [...new Set(operations.flatMap(({ variants }) => [...variants.keys()]))].sort();
}

const PARAMETER = /(?<=\/)(?::[^/]+|\{[^/]+\}|\[(?!redacted\])[^/]+\])(?=\/|$)/g;

/** A path in lower case, with `:` for each parameter, also for one as `{name}` or `[name]`. */
export function pathForm(path: string): string {
  return path.replace(PARAMETER, ':').toLowerCase();
}

/** @param place of the name, for the error */
export function findOperation(
  operations: readonly Operation[],
  name: string,
  place = 'the operation',
): Operation {
  const match = operations.find((operation) => operation.name === name);
  if (match !== undefined) return match;
  const names = operations.map((operation) => operation.name);
  const others =
    names.length === 0 ? 'The service has no operations.' : `Use one of: ${names.join(', ')}.`;
  const fix = advice(name, names, others);
  const text = `Failed to find ${place}: it has no fixture file. ${fix}`;
  throw new MomoMockError('MOMO_MOCK_OPERATION_UNKNOWN', text);
}

export function checkVariant(operations: readonly Operation[], variant: string): string {
  const variants = variantNames(operations);
  if (variants.includes(variant)) return variant;
  const others =
    variants.length === 0
      ? 'Add one, such as NAME.get.VARIANT.json.'
      : `Use one of: ${variants.join(', ')}.`;
  const fix = advice(variant, variants, others);
  const text = `Failed to find the variant: it has no fixture file. ${fix}`;
  throw new MomoMockError('MOMO_MOCK_VARIANT_UNKNOWN', text);
}

/** Node's limit for the request line and the headers, in bytes. No parameter can be longer. */
const MAX_PARAMETER_LENGTH = 16_384;

/** The options of Fastify's router, and of the one that finds the operations of handlers. */
export function routerOptions({ strictPaths }: FixtureTree) {
  return {
    caseSensitive: strictPaths,
    ignoreTrailingSlash: !strictPaths,
    maxParamLength: MAX_PARAMETER_LENGTH,
  };
}

/** HEAD gets the response of GET, without its body. */
export function methodsOf({ method }: Operation): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** Equal for operations with the same requests. The names of parameters do not matter. */
export function identityOf(
  method: string,
  segments: readonly Segment[],
  strictPaths: boolean,
): string {
  const nameless = segments.map((part) => ('parameter' in part ? { parameter: '' } : part));
  const pattern = routePattern(nameless);
  return `${method} ${strictPaths ? pattern : pattern.toLowerCase()}`;
}

/**
 * A pattern for Fastify's router, such as `/momo/status/:reference([^/]+)`, which matches the paths of
 * {@link routePath}. Without the regular expression, a parameter would also match empty text.
 */
export function routePattern(segments: readonly Segment[]): string {
  const parts = segments.map((segment) =>
    'parameter' in segment
      ? `:${segment.parameter}([^/]+)`
      : escapeForRouter(segment.literal).replaceAll(':', '::'),
  );
  return `/${parts.join('/')}`;
}

/** The path of a request for Fastify's router, however the client percent-encoded it. */
export function routePath(segments: readonly string[]): string {
  return encodeURI(`/${segments.map(escapeForRouter).join('/')}`);
}

/**
 * Escapes the characters with a meaning in a pattern or a path. The router decodes all others in a
 * path, and none in a pattern. It also escapes `İ`, the only letter with a longer lower case: a
 * router that ignores letter case would mistake the places of the characters after it.
 */
function escapeForRouter(text: string): string {
  return text.replace(/[%#?*/\u0130]/g, (letter) =>
    letter === '*' ? '%2A' : encodeURIComponent(letter),
  );
}
