import type { CallbackReason } from './callback-reason.ts';
import type { PreparedCallback } from './prepared-callback.ts';

/** One attempt, for the function that sends it. */
export interface CallbackAttempt
  extends Pick<PreparedCallback, 'method' | 'headers' | 'body' | 'timeout'> {
  /** Of `http:` or `https:`. */
  readonly url: URL;
  /** Aborted when the attempt must end. */
  readonly signal: AbortSignal;
}

/** How an attempt ended: the status of the response, or the reason for which there is none. */
export type CallbackOutcome = { readonly status: number } | { readonly reason: CallbackReason };

/** Sends an attempt. It never rejects. */
export type SendCallback = (attempt: CallbackAttempt) => Promise<CallbackOutcome>;
