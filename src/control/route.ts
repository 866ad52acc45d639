import type * as Type from 'typebox';
import type { Definition } from '../mock/definition.ts';
import type { Mock } from '../mock/mock.ts';
import type { Scope } from '../mock/scope/scope.ts';
import type { TlsSwitch } from '../tls/tls-switch.ts';
import type { ControlCode } from './control-error.ts';
import type { Health, Overview } from './schemas.ts';

/** What the process counts beside the mock. */
export interface Counts {
  readonly uncaughtErrors: number;
  readonly connections: number;
}

/** The mock server, as far as the control API shows and changes it. */
export interface Controlled {
  readonly mock: Mock;
  readonly tls: TlsSwitch;
  /** Restores the initial state of an account, or of everything including TLS. */
  reset(scope: Scope): Promise<void>;
  health(): Promise<Health>;
  overview(): Overview;
  /** Never fails. */
  counts(): Counts;
  /** The PEM for clients to trust. */
  readonly pem: string;
  /** Whether calls over HTTP must carry the token. */
  readonly hasToken: boolean;
  /** The folder with the files of the live page. */
  readonly pageFolder: string;
}

/** The type of JSON that is sent as it is. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** A call as its caller makes it, over HTTP or from the library. */
export interface GivenCall {
  /** The key of the account that the call is about; `undefined` for the whole service. */
  readonly apikey: string | undefined;
  /** The parameters in the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  /** The body as it was sent; empty without one. */
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Aborted when the caller stops waiting. */
  readonly signal: AbortSignal;
}

/** A call whose input was checked. */
export interface Call<Query = unknown, Body = unknown> extends Omit<GivenCall, 'apikey'> {
  readonly server: Controlled;
  /** The account that the call is about, or the whole service. */
  readonly scope: Scope;
  readonly query: Query;
  readonly body: Body;
}

/**
 * A route of the control API. The library calls it, too: over HTTP, or here. A result that is
 * `undefined` is a 204.
 */
export interface Route<Query = unknown, Body = unknown, Result = unknown> {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** With parameters, such as `/requests/:id`. A `*` at the end is `:name`, which may have slashes. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * Whether a call can be about one account. Otherwise, what to do with the key that such a call has.
   */
  readonly account: boolean | string;
  readonly query?: Definition<Query>;
  /** The descriptions of the parameters in the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** The descriptions of other headers that it reads. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Definition<Body>;
  /** Whether the body may be left out. @default false */
  readonly isBodyOptional?: boolean;
  /** The maximum length of the body, in bytes. @default 1 MiB */
  readonly maxBodyBytes?: number;
  /** The codes of its errors, apart from those that every route with its properties can have. */
  readonly errors?: readonly ControlCode[];
  /** The status of a result. @default 200 */
  readonly status?: number;
  /** The result; a text describes a 204. */
  readonly result?: Type.TSchema | object;
  readonly nothing?: string;
  /** The result if something is not as expected. */
  readonly unverified?: Type.TSchema;
  /** Whether the description of the API leaves it out. @default false */
  readonly isHidden?: boolean;
  /** Whether a request must carry the token. @default always */
  readonly needsToken?: (headers: Call['headers']) => boolean;
  run(call: Call<Query, Body>): Result;
}

/** What the library gives to a route, and gets from it. */
export interface RouteTypes<Query = unknown, Body = unknown, Result = unknown> {
  readonly query: Query;
  readonly body: Body;
  readonly result: Result;
}

/** A route whose name and types the compiler knows. Nothing of them is there at run time. */
export interface NamedRoute<Name extends string, Types extends RouteTypes> extends Route {
  /** Such as `PUT /variant`. */
  readonly '~name': Name;
  readonly '~types': Types;
}

type ResultOf<Returned> = Awaited<Returned> extends Reply<infer Value> ? Value : Awaited<Returned>;

/** Lets the compiler find the name and the types of a route. */
export function route<
  const Method extends Route['method'],
  const Path extends string,
  Query = undefined,
  Body = undefined,
  Returned = unknown,
>(
  definition: Route<Query, Body, Returned> & { readonly method: Method; readonly path: Path },
): NamedRoute<`${Method} ${Path}`, RouteTypes<Query, Body, ResultOf<Returned>>> {
  return definition as unknown as ReturnType<typeof route<Method, Path, Query, Body, Returned>>;
}

/**
 * A result with headers. Text, bytes and a stream of text are sent as they are.
 *
 * @typeParam Value the result for the library, which is the JSON in the body
 */
export class Reply<Value = unknown> {
  declare readonly '~value': Value;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: unknown, headers: Readonly<Record<string, string>>) {
    this.body = body;
    this.headers = headers;
  }
}

/** The path of a route as users see it. A wildcard is a name, which may contain slashes. */
export function documentedPath(path: string): string {
  return path.replace('*', ':name').replace(/:(\w+)/g, '{$1}');
}

/** The number that a text of the path stands for. */
export function numberOf(text = ''): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
