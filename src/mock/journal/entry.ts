import type { MomoOperation } from '../operations/operation-name.ts';
import type { RequestReason, WebhookReason } from '../requests/reason.ts';
import type { ResponseFaultType } from '../responses/faults.ts';
import type { ResponseSource } from '../responses/source-words.ts';
import type { WebhookForgery } from '../webhooks/signing.ts';

/** A received request and its response, or a connection that sent no request. */
export interface RequestEntry {
  /** Counts up in order of arrival, from 1. */
  readonly id: number;
  /** Time of arrival, ISO 8601. */
  readonly time: string;
  /** The id of the account of the key; `null` without a valid key. */
  readonly account: string | null;
  /**
   * The TLS mode when the connection was made. A request in a mode other than `normal` shows that
   * the client does not verify certificates. A client that finished the handshake and left without a
   * request has the mode, too. `null` without TLS.
   */
  readonly tls: string | null;
  readonly method: string | null;
  /**
   * The path as it was requested, still percent-encoded, if an operation has it. In an unknown path, only segments that look like
   * words are shown (letters, `.`, `-`, `_`, at most 24 characters, or a version such as `v2`).
   * Every other segment is `…`, because it may be a key. If the key was in a header, it is whole.
   */
  readonly path: string | null;
  /** The requested operation, such as `GET /momo/balance`. */
  readonly operation: MomoOperation | null;
  /** The query parameters. A repeated parameter is a list. Secrets are `[redacted]`. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /**
   * The headers, with names in lower case. A repeated header is a list. Secrets are `[redacted]`.
   */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The first 65,536 bytes of the decoded body, as text. Secrets are `[redacted]`. */
  readonly body: string;
  /** The status of the response; `null` if none was sent or the client did not receive it. */
  readonly status: number | null;
  readonly source: ResponseSource | null;
  /** The fixture file of the response; for a scripted response, the handler that ran before it. */
  readonly file: string | null;
  readonly variant: string | null;
  /** The fault that was injected. */
  readonly fault: ResponseFaultType | null;
  /** The reason if the request was refused, by the mock or by a handler. */
  readonly reason: RequestReason | null;
  /** One line that says how to fix the problem. */
  readonly hint: string | null;
  /** The time from the request to the end of the response, in ms; `null` while it is in flight. */
  readonly duration: number | null;
  /** Whether the request has ended: its response was sent or prevented, or its client has left. */
  readonly ended: boolean;
  /** Whether the client left before it had the whole response. */
  readonly aborted: boolean;
}

export interface RequestDetails extends RequestEntry {
  /**
   * The response as decided; a fault may have changed or prevented it. `null` until then, and for a
   * connection without a request.
   */
  readonly response: (Pick<RequestEntry, 'headers' | 'body'> & { readonly status: number }) | null;
}

/** An attempt to send a webhook. */
export interface WebhookEntry extends Pick<RequestEntry, 'id' | 'headers' | 'body' | 'hint'> {
  /** The time of the attempt by the account's clock, ISO 8601. */
  readonly time: string;
  /** The id of the account; `null` for all accounts. */
  readonly account: string | null;
  /**
   * The URL as it is sent, without its fragment. Secrets are `[redacted]`. It is `[invalid URL]` if
   * it is not an `http:` or `https:` URL and may contain a password.
   */
  readonly url: string;
  readonly method: string;
  /** The same for all attempts of a webhook. A signature has it as `{id}`. */
  readonly webhookId: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** How it is forged; `null` if it is genuine. */
  readonly forge: WebhookForgery | null;
  /** The status of the response; `null` if there was none. */
  readonly status: number | null;
  /** Whether the status counts as accepted; `null` while it is in flight. */
  readonly accepted: boolean | null;
  /** The reason if there is no status. */
  readonly reason: WebhookReason | null;
  /** The time from the attempt to the end of the response, in ms; `null` while it is in flight. */
  readonly duration: number | null;
}
