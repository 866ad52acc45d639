import type { Agent } from 'node:https';
import type { AccountOptions } from '../mock/account-options.ts';
import type { Callback } from '../mock/callbacks/callback.ts';
import type { ScriptedCallback } from '../mock/callbacks/callback-script.ts';
import type { Handler } from '../mock/handler.ts';
import type { CallbackEntry, JournalEntry } from '../mock/journal/entry.ts';
import type { CallbacksOptions, RequestsOptions } from '../mock/journal/filter.ts';
import type { RateLimit } from '../mock/rate-limit.ts';
import type { ScriptedResponse } from '../mock/scripted-response.ts';
import type { State } from '../mock/state/state.ts';
import type { Expected, ExpectedCallbacks, VerifyOptions } from '../mock/verify/expectation.ts';
import type { TlsMode } from '../tls/tls-mode.ts';

/**
 * Functions to configure and query the whole service or one account. A change to the service
 * applies to every account; a change to an account applies only to that account.
 */
export interface MomoScope {
  /**
   * Sets the balance: the whole body of the response to `GET /momo/balance`, as JSON. `undefined`
   * removes it.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE` if it is longer than
   *   1 MiB, `MOMO_MOCK_BODY_REJECTED` if it does not satisfy the schema of the operation
   */
  setBalance(body: unknown): Promise<void>;
  /**
   * Sets the variant: each operation that has a fixture file for it serves that file. `undefined`
   * removes it. It takes priority over the initial variant of an account.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_VARIANT_UNKNOWN`
   */
  setVariant(variant: string | undefined): Promise<void>;
  /**
   * Sets the rate limit: how many requests each account may make in a window. It counts from now on,
   * and the window follows the clock of the account. Requests above it get `errors/429` and consume
   * nothing. `undefined` removes it, so that the one of the start options applies again, if any.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  setRateLimit(limit: RateLimit | undefined): Promise<void>;
  /**
   * Adds scripted responses after the remaining ones. Each is used once, `times` times, or always;
   * then normal responses resume. The limits are 1 MiB as JSON per call, and 10,000 responses in
   * total.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE`,
   *   `MOMO_MOCK_OPERATION_UNKNOWN`, `MOMO_MOCK_BODY_REJECTED`
   */
  respondWith(responses: ScriptedResponse | readonly ScriptedResponse[]): Promise<void>;
  /**
   * Returns the requests received until now, in order of arrival: the newest 1,000, or another
   * number with `limit` or a larger `waitFor`. A request in flight has no status yet. With
   * `waitFor`, waits until this many have arrived or `timeout` (ms) has passed.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  requests(options?: RequestsOptions): Promise<JournalEntry[]>;
  /**
   * Verifies that the received requests are as expected: their number, their order, or that there
   * were exactly these. With `timeout`, waits until they are as expected.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`, whose message shows what was expected, how many
   *   requests match, and how the closest one differs; `MOMO_MOCK_REQUEST_INVALID`
   */
  verify(expected: Expected, options?: VerifyOptions): Promise<void>;
  /**
   * Verifies that all scripted responses were used, except those with `times: 'always'`.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`, whose message lists the unused ones
   */
  verifyScripts(): Promise<void>;
  /**
   * The state of handlers. Configured keys in what it returns are `[redacted]`, and what would write
   * that text over a key is refused (`MOMO_MOCK_STATE_REDACTED`). In process, the functions of
   * `update` and `transaction` see the keys. Over HTTP they do not, and run again if the state has
   * changed in between, at most 1,000 times (`MOMO_MOCK_STATE_CHANGED`).
   */
  readonly state: State;
  /**
   * Moves the clock of handlers, and waits until all timers and callbacks that came due have run.
   * The clock of the service moves those of all accounts.
   *
   * @param by a time in ms, or `'idle'`: until nothing is pending
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`; `MOMO_MOCK_TIMER_FAILED` at the end, if a
   *   timer failed, or earlier, if the promise of one does not settle within the client timeout
   */
  advance(by: number | 'idle'): Promise<void>;
  /**
   * Freezes the clock of handlers, so that timers run only in `advance`, or lets it run again.
   *
   * @param isFrozen default: `true`
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  freeze(isFrozen?: boolean): Promise<void>;
  /**
   * Returns the attempts of callbacks until now, in order: the newest 1,000, or another number with
   * `limit` or a larger `waitFor`. With `waitFor`, waits until this many have ended or `timeout` (ms)
   * has passed.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  callbacks(options?: CallbacksOptions): Promise<CallbackEntry[]>;
  /**
   * Sends a callback to the application under test, without a request. The first attempt is made now,
   * also while the clock is frozen. Further attempts (`retry`) follow the clock. The script for
   * callbacks applies, but the first attempt waits for no `delay`.
   *
   * @returns the first attempt, when it has ended
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE`
   */
  sendCallback(callback: Callback): Promise<CallbackEntry>;
  /**
   * Scripts the next callbacks, one after the other: each is dropped, delayed, repeated, or sent
   * unchanged (`{}`). It replaces the script that was set before.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE`
   */
  scriptCallbacks(script: readonly ScriptedCallback[]): Promise<void>;
  /**
   * Verifies that the attempts of callbacks are as expected: their number, their order, or that there
   * were exactly these. With `timeout`, waits until they are as expected.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`, `MOMO_MOCK_REQUEST_INVALID`
   */
  verifyCallbacks(expected: ExpectedCallbacks, options?: VerifyOptions): Promise<void>;
  /**
   * Returns to the start state: no balance and no variant set, no scripted responses, an empty
   * journal; the state of handlers as at the start, no timers, and the normal time.
   */
  reset(): Promise<void>;
}

/** What the code under test needs to reach the mock, and to trust it. */
export interface MomoTarget {
  /** Base URL of the service, without a slash at the end. */
  readonly url: string;
  /** A valid API key. For an account, it is the key of that account. */
  readonly apikey: string;
  /** The certificate for clients to trust, PEM. */
  readonly ca: string;
  /**
   * Path of a PEM file with the certificate for clients to trust. It is the one in `certsDir`, if
   * that is set. Otherwise it is written to the folder for temporary files when it is first read,
   * and `close` removes it.
   *
   * @throws MomoMockError `MOMO_MOCK_FOLDER_UNUSABLE`
   */
  readonly caFile: string;
  /** An agent that trusts the mock, such as for `node:https`, axios and got. */
  readonly agent: Agent;
  /** Options for undici: `new Agent({ connect: mock.connect })`. */
  readonly connect: { readonly ca: string };
}

/** A separate account, for a test or a test worker. */
export interface MomoAccount extends MomoScope, MomoTarget {
  /** Removes the account. Its key becomes invalid. Its journal entries stay. */
  remove(): Promise<void>;
}

/** A running mock, in this process or another. */
export interface MomoMock extends MomoScope, MomoTarget, AsyncDisposable {
  /** Base URL of the control API; `null` if it is off. */
  readonly controlUrl: string | null;
  /**
   * Makes the HTTPS clients of this process reach the mock instead of a host, on each of its ports,
   * and trust the mock for it. It is for clients whose base URL is built in.
   *
   * Not redirected: HTTP/2, connections with a `secureContext`, and clients that took `tls.connect`
   * from its module before.
   *
   * @param host such as `api.example.com`
   * @returns a function that undoes it and ends the redirected connections, as `close` does
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, also if the host is redirected already
   */
  redirect(host: string): () => void;
  /**
   * Makes the HTTPS clients of this process trust the mock at its own `url`. It is for clients that
   * take a base URL, but no certificate. Other connections trust what they trusted before.
   *
   * @returns a function that undoes it and ends these connections, as `close` does
   */
  trust(): () => void;
  /** Sets the TLS mode for new connections: `normal`, or a certificate that clients must refuse. */
  setTls(mode: TlsMode): Promise<void>;
  /**
   * Makes an account.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE`,
   *   `MOMO_MOCK_ACCOUNT_EXISTS`, `MOMO_MOCK_VARIANT_UNKNOWN`, `MOMO_MOCK_BODY_REJECTED`,
   *   `MOMO_MOCK_STATE_INVALID`
   */
  createAccount(options?: AccountOptions): Promise<MomoAccount>;
  /**
   * Returns the whole service to the start state. It also sets TLS to `normal` and removes the
   * accounts that tests made.
   */
  reset(): Promise<void>;
  /** Stops the mock, or ends the connection to a mock that runs elsewhere. */
  close(): Promise<void>;
}

/** A mock in this process. */
export interface LocalMomoMock extends MomoMock {
  /**
   * Answers an operation by a function. The operation needs no file. Scripted responses and a set
   * balance take priority over it, and it takes priority over the fixture files. A reset keeps it.
   *
   * @param operation a method and a path, such as `POST /momo/deposit/:reference`
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  handle(operation: string, handler: Handler): Promise<void>;
}
