import type { Agent } from 'node:https';
import type { MomoAccountOptions } from '../mock/account/account-options.ts';
import type { MomoRateLimit } from '../mock/account/rate-limit.ts';
import type { MomoSnapshot } from '../mock/account/snapshot.ts';
import type { MomoClock } from '../mock/clock/clock.ts';
import type { RequestEntry, WebhookEntry } from '../mock/journal/entry.ts';
import type { RequestsOptions, WebhooksOptions } from '../mock/journal/filter.ts';
import type { LedgerEntry } from '../mock/ledger/momo-drill.ts';
import type { MomoHandler } from '../mock/operations/handler.ts';
import type { MomoOperation } from '../mock/operations/operation-name.ts';
import type { PromptEntry, PromptsOptions } from '../mock/prompts/prompt.ts';
import type { ScriptedResponse } from '../mock/responses/scripted-response.ts';
import type { MomoState } from '../mock/state/state.ts';
import type {
  ExpectedRequests,
  ExpectedWebhooks,
  FinishedRequest,
  MomoFinishOptions,
  MomoVerifyOptions,
} from '../mock/verify/expectation.ts';
import type { Webhook } from '../mock/webhooks/webhook.ts';
import type { ScriptedWebhook } from '../mock/webhooks/webhook-script.ts';
import type { MomoTlsMode } from '../tls/tls-mode.ts';

/**
 * Configures and queries all accounts or one account. A change to all accounts applies to every account;
 * a change to an account applies only to that account.
 */
export interface MomoScope {
  /**
   * Sets the balance: the whole response body of `GET /momo/balance`, as JSON. `null` is the body
   * `null`.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE` if it is longer than 1
   *   MiB, `MOMO_MOCK_BODY_REJECTED` if it does not match the operation's schema,
   *   `MOMO_MOCK_OPERATION_UNKNOWN` if the service has no balance
   */
  setBalance(body: unknown): Promise<void>;
  /** Removes the balance that was set. */
  clearBalance(): Promise<void>;
  /**
   * Sets the variant: each operation that has a fixture file for it serves that file. `undefined`
   * removes it. It overrides an account's initial variant.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_VARIANT_UNKNOWN`
   */
  setVariant(variant: string | undefined): Promise<void>;
  /**
   * Sets the rate limit: how many requests each account may make per window. Counting starts when
   * you set the limit, and the window follows the account's clock. Requests over the limit get
   * `errors/429` and consume nothing. `undefined` removes it, so that the `rateLimit` of the start
   * options applies again, if any.
   *
   * @param limit such as `{ limit: 5, window: 60_000 }` (ms), or as text: `5/1m`, `10/s`, `1000/h`
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  setRateLimit(limit: MomoRateLimit | string | undefined): Promise<void>;
  /**
   * Adds scripted responses after the remaining ones. Each is used once, `times` times, or always, by
   * the next requests to its operation. Without `operation`, these are requests to any operation.
   * Then normal responses resume. The limits are 1 MiB as JSON per call, and 10,000 responses in
   * total.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE`,
   *   `MOMO_MOCK_OPERATION_UNKNOWN`, `MOMO_MOCK_BODY_REJECTED`
   */
  respondWith(responses: ScriptedResponse | readonly ScriptedResponse[]): Promise<void>;
  /**
   * Returns the remaining scripted responses, in the order of their use, with their remaining
   * `times`. Configured keys in them are `[redacted]`.
   */
  responses(): Promise<ScriptedResponse[]>;
  /** Removes all scripted responses. */
  clearResponses(): Promise<void>;
  /**
   * Responds to an operation with a function, until {@link reset}. The operation does not need a
   * file: without one, accounts without a handler for it still get a 404. Scripted responses and a
   * set balance override the function, the function overrides fixture files, and an account's
   * function overrides the mock's.
   *
   * Only a mock in this process has handlers. One that runs elsewhere refuses the call.
   *
   * @param operation a method and a path, such as `POST /momo/deposit/:reference`
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, also if the mock runs elsewhere
   */
  handle(operation: MomoOperation, handler: MomoHandler): Promise<void>;
  /**
   * Returns the requests received so far, in order of arrival: the newest 1,000, or another number
   * with `limit` or a larger `waitFor`. A request in flight has no status yet. With `waitFor`, it
   * waits until this many requests match.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED` if fewer than `waitFor` match within `timeout`
   *   (default 5,000 ms), with what came instead, or if the journal removed requests that the list
   *   may lack; `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_OPERATION_UNKNOWN` if nothing can match
   */
  requests(options?: RequestsOptions): Promise<RequestEntry[]>;
  /** Removes all requests from the journal. */
  clearRequests(): Promise<void>;
  /**
   * Verifies the received requests: their number, their order, or that there were exactly these.
   * With `timeout` (ms), it waits until they match.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`, whose message shows the expectation, how many
   *   requests match, and how the closest one differs, or what the journal cannot tell;
   *   `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_OPERATION_UNKNOWN` if nothing can match
   */
  verify(expected: ExpectedRequests, options?: MomoVerifyOptions): Promise<void>;
  /**
   * Verifies that all scripted responses were used, except those with `times: 'always'`, and all
   * entries of the webhook script. The mock verifies those of its accounts, too.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`, whose message lists the unused ones with their
   *   operations
   */
  verifyUsed(): Promise<void>;
  /**
   * The state of handlers. A handler writes to the state of the account whose key the request has:
   * for requests with `mock.apiKey`, this is `mock.account().state`, not `mock.state`, which is the
   * state of all accounts. `mock.state.get()` and `mock.state.list(prefix)` fail if only an account
   * has the values (`MOMO_MOCK_STATE_IN_ACCOUNT`).
   *
   * Configured keys in the values that it returns are `[redacted]`, and
   * writing this text over a key is refused (`MOMO_MOCK_STATE_REDACTED`). In process, the functions
   * of `update` and `transaction` see the keys. Over HTTP they do not, and they run again if the
   * state changed in between, up to 1,000 times (`MOMO_MOCK_STATE_CHANGED`).
   */
  readonly state: MomoState;
  /**
   * Moves the clock of handlers, and waits until all due timers and webhooks have run. The
   * mock's clock moves the clocks of all accounts.
   *
   * @param ms a time in ms, or `'idle'`: until nothing is pending. It does not wait for people: open
   *   prompts stay open, and the time does not count for their timeouts
   * @returns the clock, and how many prompts are open
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`; `MOMO_MOCK_TIMER_FAILED` at the end if a
   *   timer failed, or earlier if a timer's promise does not settle within the client timeout
   */
  advance(ms: number | 'idle'): Promise<MomoClock>;
  /**
   * Waits until a request has ended that matches all given fields, as in {@link verify}, and then
   * advances the clock until nothing is pending: payments finish, and webhooks arrive. Without
   * `status`, the request must be successful (2xx). Requests before the call count, too: for the second
   * payment of a test, set `waitFor: 2`.
   *
   * Of an account, it waits for the account's requests and moves its clock only. Of the mock, a
   * request of any account counts, and all clocks move.
   *
   * @returns the clock, and how many prompts are open: it does not wait for people, as {@link advance}
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED` after `timeout` (ms), whose message says what came
   *   instead; `MOMO_MOCK_TIMER_FAILED` as {@link advance}; `MOMO_MOCK_REQUEST_INVALID`,
   *   `MOMO_MOCK_OPERATION_UNKNOWN` if nothing can match
   */
  finish(options?: FinishedRequest & MomoFinishOptions): Promise<MomoClock>;
  /**
   * Returns the clock of handlers: its time, whether it is frozen, and how many timers are pending. The
   * mock counts the timers of all accounts.
   */
  clock(): Promise<MomoClock>;
  /** Freezes the clock of handlers, so that timers run only in `advance`. */
  freeze(): Promise<MomoClock>;
  /** Lets the clock of handlers run again. */
  unfreeze(): Promise<MomoClock>;
  /**
   * Returns the open prompts: what handlers ask people with `context.prompt`, such as the payer. The
   * mock returns those of all accounts. With `waitFor`, it waits until this many are open.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED` if fewer are open within `timeout` (default 5,000
   *   ms); `MOMO_MOCK_REQUEST_INVALID`
   */
  prompts(options?: PromptsOptions): Promise<PromptEntry[]>;
  /**
   * Answers an open prompt as the person would. Resolves when the handler's function has run, which it
   * does even while the clock is frozen. If several callers answer, the first one does.
   *
   * @param choice one of the prompt's `choices`
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` for a choice that is not offered: the prompt
   *   stays open; `MOMO_MOCK_PROMPT_UNKNOWN` if no prompt with this id is open, or it is of another
   *   account; `MOMO_MOCK_TIMER_FAILED` if the function fails or does not settle within the client
   *   timeout
   */
  answerPrompt(id: number, choice: string): Promise<void>;
  /**
   * Returns the webhook attempts so far, as {@link requests} does for requests. Attempts count for
   * `waitFor` when they have ended.
   *
   * @throws MomoMockError as {@link requests}
   */
  webhooks(options?: WebhooksOptions): Promise<WebhookEntry[]>;
  /** Removes all webhook attempts from the journal. Webhooks that wait are still sent. */
  clearWebhooks(): Promise<void>;
  /**
   * Sends a webhook to the application under test, without a request. The first attempt starts
   * now, even while the clock is frozen, and ignores any `delay`. Retries (`retry`) follow the
   * clock. The webhook script applies.
   *
   * @returns the first attempt, after it has ended
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE`
   */
  sendWebhook(webhook: Webhook): Promise<WebhookEntry>;
  /**
   * Scripts the next webhooks, in order: each is dropped, delayed, repeated, forged, sent before its
   * response, or sent unchanged (`{}`). A webhook takes the first entry that fits; an entry without
   * `match` fits any. It replaces the previous script.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE`
   */
  scriptWebhooks(script: readonly ScriptedWebhook[]): Promise<void>;
  /** Returns the rest of the webhook script, in order. */
  webhookScript(): Promise<ScriptedWebhook[]>;
  /** Removes the rest of the webhook script. */
  clearWebhookScript(): Promise<void>;
  /**
   * Verifies the webhook attempts, as {@link verify} does for requests.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`, `MOMO_MOCK_REQUEST_INVALID`
   */
  verifyWebhooks(expected: ExpectedWebhooks, options?: MomoVerifyOptions): Promise<void>;
  /**
   * Everything that the mock remembers, or that an account remembers, as JSON: balance, variant, rate
   * limit, scripted responses, state, clock, and webhooks that wait. It does not have the journal,
   * the timers and prompts of handlers, the handlers of tests and the TLS mode. The mock's snapshot
   * contains the keys of the accounts that tests created, and no key from the settings.
   *
   * @throws MomoMockError `MOMO_MOCK_TOO_LARGE` if it is longer than 32 MiB, or has more than 15,000
   *   accounts or 250,000 values, so that it could not be restored
   */
  snapshot(): Promise<MomoSnapshot>;
  /**
   * Replaces everything that the mock remembers, or that the account remembers, with a snapshot. An
   * account keeps its key and its handlers, so it can get the snapshot of another account. It keeps
   * its id, unless this mock gave that to another account.
   *
   * @returns what could not be restored
   * @throws MomoMockError `MOMO_MOCK_SNAPSHOT_INVALID` with each problem, and nothing changes;
   *   `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE` if it is longer than 32 MiB
   */
  restore(snapshot: MomoSnapshot): Promise<MomoRestored>;
  /**
   * Restores the initial state: no balance, variant or handler set, no scripted responses, an empty
   * journal, the initial state of handlers, no timers, and the real time.
   */
  reset(): Promise<void>;
}

/** What a restore left out. */
export interface MomoRestored {
  /** The ids in the snapshot of the accounts whose keys are not in the settings. */
  readonly leftOut: readonly string[];
}

/** How the code under test reaches and trusts the mock. */
export interface MomoTarget {
  /** Base URL of the service, without a trailing slash. */
  readonly url: string;
  /** A valid API key. For an account, it is the account's key. */
  readonly apiKey: string;
  /** The certificate for clients to trust, PEM. */
  readonly ca: string;
  /**
   * Path of a PEM file with the certificate for clients to trust: the one in `certsDir`, if that is
   * set. Otherwise, the first read writes it to the folder for temporary files, and `close` deletes
   * it.
   *
   * @throws MomoMockError `MOMO_MOCK_FOLDER_UNUSABLE`
   */
  readonly caFile: string;
  /** An agent that trusts the mock, for `node:https`, axios, got and others. */
  readonly agent: Agent;
  /** undici's `ConnectOptions`, which trust the mock: `new Agent({ connect: mock.connectOptions })`. */
  readonly connectOptions: { readonly ca: string };
}

/** A separate account, for a test or a test worker. */
export interface MomoAccount extends MomoScope, MomoTarget {
  /** Names the account in the log, in the journal and on the live page: `account-2`. */
  readonly id: string;
  /**
   * Returns the account's payments, payouts and refunds as the provider sees them, the oldest first.
   * `drill.js` of the fixtures reads them from the state. Secrets in `id`, `of`, `order` and `party` are
   * redacted.
   *
   * @throws MomoMockError `MOMO_MOCK_FIXTURE_INVALID` if there is no `drill.js`, or if it fails
   */
  ledger(): Promise<LedgerEntry[]>;
  /**
   * Removes the account. Its key becomes invalid. Its journal entries stay.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if it is `mock.account()`
   */
  remove(): Promise<void>;
}

/** What a mock redirects in this process from its start. */
export interface RedirectOptions {
  /** One or more hosts to {@link MomoMock.redirect} in this process. @default none */
  readonly redirect?: string | readonly string[];
  /** Whether this process trusts the mock at its own URL: {@link MomoMock.trust}. @default false */
  readonly trust?: boolean;
}

/** A running mock, in this process or another. */
export interface MomoMock extends MomoScope, MomoTarget, AsyncDisposable {
  /** Base URL of the control API; `null` if it is off. */
  readonly controlUrl: string | null;
  /**
   * Redirects the HTTPS clients of this process from one or more hosts, on all of their ports, to
   * the mock, and makes them trust the mock for these hosts. Use it for clients with a built-in base URL.
   *
   * Connections to the host that are already open are not used again, except by HTTP/2. HTTP/2,
   * connections with a `secureContext`, and clients that already hold a reference to `tls.connect`
   * are not redirected, and fail.
   *
   * @param host such as `api.example.com`, or a list. If one cannot be redirected, none is
   * @returns a function that undoes it and closes the redirected connections, as `close` does
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, also if the host is already redirected;
   *   `MOMO_MOCK_CLOSED`
   */
  redirect(host: string | readonly string[]): () => void;
  /**
   * Makes the HTTPS clients of this process trust the mock at its own `url`. Use it for clients
   * that accept a base URL but no certificate. Other connections trust what they trusted before.
   *
   * @returns a function that undoes it and closes these connections, as `close` does
   */
  trust(): () => void;
  /** Sets the TLS mode for new connections: `normal`, or a certificate that clients must refuse. */
  setTls(mode: MomoTlsMode): Promise<void>;
  /**
   * The account of `apiKey`, whose state, responses and clock a request with `mock.apiKey` uses. It
   * exists from the start. It can be reset, but not removed.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` with an argument, because it would be ignored
   */
  account(): MomoAccount;
  /**
   * Creates an account.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE`,
   *   `MOMO_MOCK_ACCOUNT_EXISTS`, `MOMO_MOCK_VARIANT_UNKNOWN`, `MOMO_MOCK_BODY_REJECTED`,
   *   `MOMO_MOCK_STATE_INVALID`, `MOMO_MOCK_OPERATION_UNKNOWN` if it has a balance and the service has
   *   none
   */
  createAccount(options?: MomoAccountOptions): Promise<MomoAccount>;
  /** Also sets TLS to `normal` and removes the accounts that tests created. */
  reset(): Promise<void>;
  /** Stops the mock, or disconnects from a mock that runs elsewhere. */
  close(): Promise<void>;
}
