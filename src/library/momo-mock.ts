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
 * What can be told and asked, of the whole service or of one account in it. What is told the
 * service holds for every account; what is told an account, for that one alone.
 */
export interface MomoScope {
  /**
   * Sets the balance: the whole body that `GET /momo/balance` answers, as JSON. `undefined` takes
   * back what was set.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_BODY_REJECTED` where there is a
   *   schema for it that it does not satisfy
   */
  setBalance(body: unknown): Promise<void>;
  /**
   * Scripts what is answered in place of what would be: once, `times`, or for good, one after the
   * other, behind what is scripted already.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_OPERATION_UNKNOWN`,
   *   `MOMO_MOCK_BODY_REJECTED`
   */
  respondWith(responses: ScriptedResponse | readonly ScriptedResponse[]): Promise<void>;
  /**
   * What was received until now, in order of arrival; what is in flight too, without its status.
   * With `waitFor`, waits until so many have arrived or `timeout` (ms) is over.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  requests(options?: RequestsOptions): Promise<JournalEntry[]>;
  /** Back to the start: nothing set, nothing scripted, nothing received. */
  reset(): Promise<void>;
}

/** An account of its own, for a test or a test worker. */
export interface MomoAccount extends MomoScope {
  /** Its key. */
  readonly apikey: string;
  /** Base URL of the service, without a slash at the end. */
  readonly url: string;
  /** PEM to trust. */
  readonly ca: string;
  /** Removes the account: its key is a wrong one from then on. Its journal stays. */
  remove(): Promise<void>;
}

/** A running mock, in this process or another. */
export interface MomoMock extends MomoScope, AsyncDisposable {
  /** Base URL of the service, without a slash at the end. */
  readonly url: string;
  /** A key that is good. */
  readonly apikey: string;
  /** PEM to trust. */
  readonly ca: string;
  /** Base URL of the control API; `null` where it is off. */
  readonly controlUrl: string | null;
  /** An agent for `node:https`, axios, got and others that trusts the mock. */
  readonly agent: Agent;
  /** Options for undici: `new Agent({ connect: mock.connect })`. */
  readonly connect: { readonly ca: string };
  /** Makes TLS wrong on purpose, or right again, for connections from now on. */
  setTls(mode: TlsMode): Promise<void>;
  /**
   * Makes an account.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_ACCOUNT_EXISTS`,
   *   `MOMO_MOCK_VARIANT_UNKNOWN`, `MOMO_MOCK_BODY_REJECTED`
   */
  createAccount(options?: AccountOptions): Promise<MomoAccount>;
  /**
   * Back to the start, the whole service: also TLS is right again, and accounts made since are
   * gone.
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
