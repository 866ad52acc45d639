import type { Socket } from 'node:net';
import type { Logger } from '../log/logger.ts';
import type { Account } from '../mock/account/account.ts';
import type { Definition } from '../mock/json/definition.ts';
import type { Mock } from '../mock/mock.ts';
import type { Certificate } from '../tls/certificate.ts';
import type { TlsSwitch } from '../tls/tls-switch.ts';
import type { ControlCode } from './control-error.ts';
import type { Health, Overview } from './schemas.ts';

/** The mock server, as the control API sees it. */
export interface ControlledServer {
  readonly mock: Mock;
  /** The URL of the service. */
  readonly url: string;
  readonly tls: TlsSwitch;
  /** With `mock.all`, resets everything including TLS. */
  reset(account: Account): Promise<void>;
  /** @returns the ids in the snapshot of the accounts that it left out */
  restore(account: Account, snapshot: unknown): Promise<readonly string[]>;
  health(): Health;
  overview(): Overview;
  counts(): { readonly uncaughtErrors: number; readonly connections: number };
  readonly certificate: Certificate;
  /** Whether calls over HTTP must carry the token. */
  readonly hasToken: boolean;
}

export interface ControlOptions {
  readonly host: string;
  readonly port: number;
  /** How long a client may take to send a request, in ms. */
  readonly clientTimeout: number;
  /** Allowed host names, in lower case, besides loopback, IP addresses and names without a dot. */
  readonly hosts: readonly string[];
  readonly token?: string | undefined;
  /** Whether a host (in lower case) and a port belong to the service, for the CONNECT proxy. */
  readonly isService: (host: string, port: number) => boolean;
  /** Passes a connection to the service, as if the client had connected to its port. */
  readonly connectToService: (connection: Socket) => void;
  readonly server: ControlledServer;
  readonly logger: Logger;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A call before its input is checked, over HTTP or from the library. */
export interface GivenCall {
  readonly apiKey: string | undefined;
  /** The path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  /** The raw body, which may be empty. */
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly signal: AbortSignal;
}

export interface Call<Query = unknown, Body = unknown> extends Omit<GivenCall, 'apiKey'> {
  readonly server: ControlledServer;
  readonly account: Account;
  readonly query: Query;
  readonly body: Body;
}

/**
 * A route of the control API. The library calls it too, over HTTP or in process. The result
 * `undefined` is a 204. Its name in the table is a method and a path with parameters, such as `GET
 * /requests/:id`. A `*` at the end is the parameter `name`, which may contain slashes.
 */
export interface Route<Query = unknown, Body = unknown, Result = unknown> {
  readonly summary: string;
  readonly description?: string;
  /**
   * Why a call cannot target one account: a sentence with the fix for one with a key, or `false` if
   * a key does not matter. @default it can
   */
  readonly account?: false | string;
  readonly query?: Definition<Query>;
  /** Descriptions, as in `headers`. */
  readonly params?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Definition<Body>;
  readonly isBodyOptional?: boolean;
  /** The maximum length of the body, in bytes. @default 1 MiB */
  readonly maxBodyBytes?: number;
  /** The error codes that do not follow from the other properties of the route. */
  readonly errors?: readonly ControlCode[];
  /** @default 200 */
  readonly status?: number;
  /** The schema of the result. For a 204, `nothing` describes it instead. */
  readonly result?: object;
  readonly nothing?: string;
  /** The result if a verification fails. */
  readonly unverified?: object;
  /** Whether `/openapi.json` omits it. */
  readonly isHidden?: boolean;
  /** Whether a request must carry the token. @default always */
  readonly needsToken?: (headers: Call['headers']) => boolean;
  run(call: Call<Query, Body>): Result;
}

export function route<Query = undefined, Body = undefined, Result = unknown>(
  definition: Route<Query, Body, Result>,
): Route<Query, Body, Result> {
  return definition;
}

/** A result with headers. Strings, bytes and streams of strings are sent unchanged. */
export class Reply {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: unknown, headers: Readonly<Record<string, string>>) {
    this.body = body;
    this.headers = headers;
  }
}

export function documented(name: string): string {
  return name.replace('*', ':name').replace(/:(\w+)/g, '{$1}');
}

/** For a text that is not a number, -1, which no id or position has. */
export function numberOf(text = ''): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : -1;
}
