import type { Callback } from './callbacks/callback.ts';
import type { Reason } from './reason.ts';
import type { RequestViolation } from './request-schema.ts';
import type { ResponseFile } from './scripted-response.ts';
import type { State } from './state/state.ts';

/**
 * A request, as a handler gets it: without the headers and query parameters that contain the account's
 * API key. Without a valid key, a handler of an error gets the request as the journal shows it: secrets
 * are `[redacted]`, and the body is cut at 64 KiB.
 */
export interface HandlerRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** The path as it was requested, percent-decoded. */
  readonly path: string;
  /** The values of the path parameters, such as `reference` of `[reference].get.js`. */
  readonly params: Readonly<Record<string, string>>;
  /** The parameters of the query. A repeated one is a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body: the value of JSON, the fields of a form, or text; `undefined` without a body. */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of the handler knows its shape
  readonly body: any;
  /** The body as it was sent; empty without one. */
  readonly rawBody: Buffer;
}

/** What a handler can use in addition to the request. */
export interface HandlerContext {
  /** The account of the API key. */
  readonly account: {
    /** The name of the account in the log and the journal; empty without a valid key. */
    readonly id: string;
    /** The variant of the account; `null` if it has none. */
    readonly variant: string | null;
  };
  /** The state of the account; in an open operation without a valid key, the service's state. */
  readonly state: State;
  /**
   * Runs a function later, by the account's clock.
   *
   * @param ms from now
   */
  after(ms: number, act: () => unknown): void;
  /**
   * Calls the application under test, after the response has left. Returns immediately and never
   * throws because of the network.
   */
  callback(callback: Callback): void;
  /** The time of the account's clock, in ms since 1970. */
  now(): number;
  /** Creates a random UUID. */
  uuid(): string;
  /**
   * Reads a file of the fixture tree.
   *
   * @param path from the root of the tree, with the extension, such as `momo/_phones.json`
   * @returns a copy of the value of a `.json` file
   */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of the file knows its shape
  fixture(path: string): Promise<any>;
  /** Writes to the log of the mock. Configured keys are `[redacted]`. */
  readonly log: HandlerLog;
}

/** The log, for handlers. */
export interface HandlerLog {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** The response of a handler, with fields of a scripted response. The default status is 200. */
export type HandlerResponse = ResponseFile;

/** A request that gets an error, as the handler of the error receives it. */
export interface ErrorRequest extends HandlerRequest {
  /** The reason for the error; `null` if a test scripted it. */
  readonly reason: Reason | null;
  /** What violates the request schema; empty for other reasons. */
  readonly problems: readonly RequestViolation[];
}

/**
 * A function that responds to an operation: the default export of `<segment>.<method>.js`. A module that
 * also exports `open = true` responds without a key.
 *
 * A handler of an error, `errors/NNN.js`, is a `Handler<ErrorRequest>`.
 *
 * @typeParam Request the known parts of the request, such as `{ body: { amount: number } }`
 */
export type Handler<Request = object> = (
  request: Omit<HandlerRequest, keyof Request> & Request,
  context: HandlerContext,
) => HandlerResponse | undefined | Promise<HandlerResponse | undefined>;
