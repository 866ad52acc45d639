import type { CallbackReason } from './callback-reason.ts';

/** An attempt of a callback. */
export interface CallbackEntry {
  /** Counts up in the order of the attempts, from 1. */
  readonly id: number;
  /** The time of the attempt by the clock of the account, ISO 8601. */
  readonly time: string;
  /** The id of the account whose handler queued it. */
  readonly account: string | null;
  /**
   * The URL as it is sent, without its fragment. Secrets are `[redacted]`. `[invalid URL]` if it is no
   * URL of `http:` or `https:` and may contain a password.
   */
  readonly url: string;
  readonly method: string;
  /** The headers, with names in lower case. Secrets are `[redacted]`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body as text, its first 65,536 bytes. Secrets are `[redacted]`. */
  readonly body: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** The status of the response; `null` if there was none. */
  readonly status: number | null;
  /** The reason if there is no status. */
  readonly reason: CallbackReason | null;
  /** One line that says how to fix the problem. */
  readonly hint: string | null;
  /** The time from the attempt to the end of the response, in ms; `null` while it is in flight. */
  readonly duration: number | null;
}
