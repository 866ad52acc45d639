import type { TokenOptions } from '../account/token-options.ts';
import type { Prompt } from '../prompts/prompt.ts';
import type { RequestReason } from '../requests/reason.ts';
import type { RequestViolation } from '../requests/request-schema.ts';
import type { Refusal, ResponseFile } from '../responses/scripted-response.ts';
import type { MomoState } from '../state/state.ts';
import type { Webhook, WebhookResponse } from '../webhooks/webhook.ts';

/**
 * A request as a handler receives it: without the headers and query parameters that contain the
 * account's API key, or a token. If the request has no valid key, or lacks a token that it needs, an
 * error handler receives it as the journal shows it: secrets are `[redacted]`, and the body is cut at 64 KiB.
 */
export interface HandlerRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** The path as it was requested, still percent-encoded. */
  readonly path: string;
  /** The percent-decoded path parameters, such as `reference` of `[reference].get.js`. */
  readonly params: Readonly<Record<string, string>>;
  /** The query parameters. The values of a repeated parameter are a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The headers, with names in lower case. The values of a repeated header are a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /**
   * The body: the value of JSON, the fields of a form, or text; `undefined` without a body. A
   * `multipart/form-data` body has its text fields; `rawBody` has its files. JavaScript rounds whole
   * numbers beyond 2^53; `rawBody` has their digits.
   */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of the handler knows its shape
  readonly body: any;
  /** The bytes of the body, without its content encoding; empty without a body. */
  readonly rawBody: Buffer;
}

/** The second argument of a handler: its account, state, clock and helpers. */
export interface HandlerContext {
  /** The account of the API key. */
  readonly account: {
    /** The name of the account in the log and the journal; empty without a valid key. */
    readonly id: string;
    /** The variant of the account; `null` if it has none. */
    readonly variant: string | null;
  };
  /**
   * The password of Basic authentication, if the setting `keyIn` has `basic`; `undefined` without a
   * valid key. The mock accepts any password.
   */
  readonly password: string | undefined;
  /**
   * The claims of the token in `Authorization: Bearer`; `{}` if it was issued without claims,
   * `undefined` without a valid token of this account.
   */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of the handler knows its shape
  readonly claims: any;
  /**
   * Issues a token for the account: 28 random letters and digits. It is valid until it expires by the
   * account's clock, or a reset of the account revokes it. An account has its newest 10,000 tokens.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if an option is invalid, the request has no valid
   *   key, or `keyIn` leaves no place for tokens
   */
  issueToken(options: TokenOptions): Promise<string>;
  /** The state of the account; in an open operation without a valid key, the state of all accounts. */
  readonly state: MomoState;
  /**
   * Runs a function later, by the account's clock.
   *
   * @param ms from now
   */
  after(ms: number, callback: () => unknown): void;
  /**
   * Asks a person, such as the payer, on the live page and over the control API. Returns immediately,
   * as `after` does. The function runs once: with the choice, or with `undefined` after the timeout.
   * A reset or a restore of the account ends the prompt, and the function never runs. No snapshot has
   * a prompt.
   *
   * An account can have 1,000 open prompts.
   */
  prompt<const Choice extends string>(
    prompt: Prompt<Choice>,
    onEnd: (choice: Choice | undefined) => unknown,
  ): void;
  /**
   * Sends a webhook to the application under test after the response has left, or with `before`
   * before it. Returns immediately, and never throws because of the network.
   */
  webhook(webhook: Webhook): void;
  /**
   * Sends a webhook immediately, and returns how the application responded to the first attempt. Never
   * throws because of the network.
   */
  sendWebhook(webhook: Webhook): Promise<WebhookResponse>;
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
  /** Writes to the mock's log. Configured keys are `[redacted]`. */
  readonly log: HandlerLog;
}

/** Writes messages to the mock's log, one method for each level. */
export interface HandlerLog {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/**
 * The response of a handler, with fields of a scripted response. The default status is 200. A `body` that
 * is a Buffer or a typed array is sent as its bytes, as `application/octet-stream` unless the headers
 * have a content type.
 */
export interface HandlerResponse extends Omit<ResponseFile, 'afterHandler'>, Refusal {}

/** A request with an error response, as the error handler receives it. */
export interface HandlerErrorRequest extends HandlerRequest {
  /** The reason for the error; `null` if a test scripted it, or a handler gave none. */
  readonly reason: RequestReason | null;
  /** The violations of the request schema; empty for other reasons. */
  readonly problems: readonly RequestViolation[];
}

/**
 * A function that responds to an operation: the default export of `<segment>.<method>.js`. If the module
 * also exports `open = true`, requests need no key. If it exports `token = 'bearer'`, they need a token
 * that `issueToken` returned for the same account.
 *
 * An error handler, `errors/NNN.js`, is a `Handler<ErrorRequest>`.
 *
 * @typeParam Request the known parts of the request, such as `{ body: { amount: number } }`
 */
export type MomoHandler<Request = object> = (
  request: Omit<HandlerRequest, keyof Request> & Request,
  context: HandlerContext,
) => HandlerResponse | undefined | Promise<HandlerResponse | undefined>;
