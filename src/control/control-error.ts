import type { MomoMockErrorCode } from '../errors.ts';
import type { RawResponse } from '../net/raw-response.ts';

/** The codes that {@link MomoMockError} has too, with their statuses. */
export const SHARED_STATUSES = {
  MOMO_MOCK_REQUEST_INVALID: 400,
  MOMO_MOCK_ACCOUNT_UNKNOWN: 404,
  MOMO_MOCK_PROMPT_UNKNOWN: 404,
  MOMO_MOCK_STATE_IN_ACCOUNT: 404,
  MOMO_MOCK_ACCOUNT_EXISTS: 409,
  MOMO_MOCK_STATE_REDACTED: 409,
  MOMO_MOCK_STATE_CHANGED: 412,
  MOMO_MOCK_TOO_LARGE: 413,
  MOMO_MOCK_BODY_REJECTED: 422,
  MOMO_MOCK_OPERATION_UNKNOWN: 422,
  MOMO_MOCK_VARIANT_UNKNOWN: 422,
  MOMO_MOCK_STATE_INVALID: 422,
  MOMO_MOCK_FIXTURE_INVALID: 422,
  MOMO_MOCK_TIMER_FAILED: 422,
  MOMO_MOCK_SNAPSHOT_INVALID: 422,
  MOMO_MOCK_NOT_VERIFIED: 422,
  MOMO_MOCK_CLOSED: 503,
} as const satisfies Partial<Record<MomoMockErrorCode, number>>;

/** All codes. The docs take each cause from the comment above its code. */
export const STATUSES = {
  ...SHARED_STATUSES,
  /** The token is missing or wrong. */
  MOMO_MOCK_TOKEN: 401,
  /** The host is a name with a dot that is not in `MOMO_MOCK_TLS_HOSTS`. */
  MOMO_MOCK_HOST_REFUSED: 403,
  /** A web page from another origin made the call. */
  MOMO_MOCK_ORIGIN_REFUSED: 403,
  /** No route has this path. */
  MOMO_MOCK_NOT_FOUND: 404,
  /** The journal has no request with this id. */
  MOMO_MOCK_REQUEST_UNKNOWN: 404,
  /** No scripted response with this id is left. */
  MOMO_MOCK_RESPONSE_UNKNOWN: 404,
  /** The journal or the script has no such id, or a reset dropped the webhook. */
  MOMO_MOCK_WEBHOOK_UNKNOWN: 404,
  /** No value has this name. */
  MOMO_MOCK_STATE_UNKNOWN: 404,
  /** The path does not support the method. */
  MOMO_MOCK_METHOD: 405,
  /** The content type is not `application/json`, or the body has a `content-encoding`. */
  MOMO_MOCK_CONTENT_TYPE: 415,
  /** A bug in momo-mock; the log has it. */
  MOMO_MOCK_INTERNAL: 500,
} as const;

export type ControlCode = keyof typeof STATUSES;

/** Its message is sent to the client and never quotes the request. */
export class ControlError extends Error {
  readonly code: ControlCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;

  constructor(
    code: ControlCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    status: number = STATUSES[code],
  ) {
    super(message);
    this.name = 'ControlError';
    this.code = code;
    this.headers = headers;
    this.status = status;
  }
}

/** @param status 400, 408 or 431 */
export function clientError(status: number): ControlError {
  const problem =
    status === 408
      ? 'it did not arrive in time. Send it faster, or raise MOMO_MOCK_CLIENT_TIMEOUT.'
      : 'it is not valid HTTP. Check its length and headers.';
  const text = `Failed to read the request: ${problem}`;
  return new ControlError('MOMO_MOCK_REQUEST_INVALID', text, {}, status);
}

export function rawError({ status, code, message, headers }: ControlError): RawResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(JSON.stringify({ error: { code, message } })),
  };
}
