import type { Agent } from 'node:https';
import * as Type from 'typebox';
import { MomoMockError } from '../errors.ts';
import type { AccountOptions } from '../mock/account-options.ts';
import { define } from '../mock/check.ts';
import type { Definition } from '../mock/definition.ts';
import type { RequestsOptions } from '../mock/journal-filter.ts';
import type { JournalEntry } from '../mock/journal-record.ts';
import type { ScriptedResponse } from '../mock/scripted-response.ts';
import { TLS_MODES, type TlsMode } from '../tls/tls-mode.ts';

/**
 * What can be configured and asked, for the whole service or for one account in it. What is
 * configured for the service applies to every account; what is configured for an account applies to
 * that account alone.
 */
export interface MomoScope {
  /**
   * Sets the balance: the whole body that `GET /momo/balance` answers, as JSON. `undefined`
   * removes it.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE` where it is longer than
   *   1 MiB, `MOMO_MOCK_BODY_REJECTED` where there is a schema for it that it does not satisfy
   */
  setBalance(body: unknown): Promise<void>;
  /**
   * Adds scripted responses to the end of the script. Each is used once, `times` times, or always;
   * then normal responses resume. One call can give 1 MiB of them as JSON, and a script can have
   * 10,000.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE`,
   *   `MOMO_MOCK_OPERATION_UNKNOWN`, `MOMO_MOCK_BODY_REJECTED`
   */
  respondWith(responses: ScriptedResponse | readonly ScriptedResponse[]): Promise<void>;
  /**
   * The requests received until now, in order of arrival: the newest 1,000, unless `limit` or
   * `waitFor` is more. A request in flight has no status yet.
   * With `waitFor`, waits until so many have arrived or `timeout` (ms) has passed.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  requests(options?: RequestsOptions): Promise<JournalEntry[]>;
  /** Returns to the start state: no balance set, no scripted responses, an empty journal. */
  reset(): Promise<void>;
}

/** What the code under test needs to reach the mock, and to trust it. */
export interface MomoTarget {
  /** Base URL of the service, without a slash at the end. */
  readonly url: string;
  /** A valid API key; of an account, its own. */
  readonly apikey: string;
  /** PEM to trust. */
  readonly ca: string;
  /**
   * Path of a PEM file to trust. It is the one in `certsDir`, if there is one; otherwise it is
   * written to the folder for temporary files when it is first asked for, and removed by `close`.
   *
   * @throws MomoMockError `MOMO_MOCK_FOLDER_UNUSABLE`
   */
  readonly caFile: string;
  /** An agent for `node:https`, axios, got and others that trusts the mock. */
  readonly agent: Agent;
  /** Options for undici: `new Agent({ connect: mock.connect })`. */
  readonly connect: { readonly ca: string };
}

/** A separate account, for a test or a test worker. */
export interface MomoAccount extends MomoScope, MomoTarget {
  /** Removes the account: its key is not valid from then on. Its journal entries stay. */
  remove(): Promise<void>;
}

/** A running mock, in this process or another. */
export interface MomoMock extends MomoScope, MomoTarget, AsyncDisposable {
  /** Base URL of the control API; `null` where it is off. */
  readonly controlUrl: string | null;
  /** Sets the TLS mode for new connections: `normal`, or a certificate that clients must refuse. */
  setTls(mode: TlsMode): Promise<void>;
  /**
   * Makes an account.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_TOO_LARGE`,
   *   `MOMO_MOCK_ACCOUNT_EXISTS`, `MOMO_MOCK_VARIANT_UNKNOWN`, `MOMO_MOCK_BODY_REJECTED`
   */
  createAccount(options?: AccountOptions): Promise<MomoAccount>;
  /**
   * Returns the whole service to the start state. It also sets TLS to `normal` and removes the
   * accounts that were made since.
   */
  reset(): Promise<void>;
  /** Stops the mock, or ends the connection to one that runs elsewhere. */
  close(): Promise<void>;
}

/** The definition of a TLS mode. */
export const TLS_MODE: Definition<TlsMode> = define(Type.Enum([...TLS_MODES], { $id: 'Mode' }));

/** The error for using a mock after `close`. */
export function closed(): MomoMockError {
  const text = 'Failed to reach the mock: it was closed. Start or connect to another.';
  return new MomoMockError('MOMO_MOCK_CLOSED', text);
}
