import type { FastifyError, FastifyReply } from 'fastify';
import { MomoMockError } from '../errors.ts';
import { describeBug, type Logger } from '../logger.ts';
import type { RawResponse } from '../net/raw-response.ts';
import { type ControlCode, type Refusal, refusal, refuse, STATUSES } from './refusal.ts';

const TOO_LARGE = refusal(
  'MOMO_MOCK_TOO_LARGE',
  'Failed to read the body: it is longer than 10 MiB. Send a shorter one.',
);
const CONTENT_TYPE = refusal(
  'MOMO_MOCK_CONTENT_TYPE',
  'Failed to read the body: its content type is not JSON. Send the header content-type: application/json.',
);
const UNREADABLE = refusal(
  'MOMO_MOCK_REQUEST_INVALID',
  'Failed to read the request: it is not valid HTTP. Look at its length and its headers.',
);
const LATE = refusal(
  'MOMO_MOCK_REQUEST_INVALID',
  'Failed to read the request: it did not arrive in time. Send it faster, or raise MOMO_MOCK_CLIENT_TIMEOUT.',
);
/** What is answered where momo-mock itself is at fault. */
export const INTERNAL = refusal(
  'MOMO_MOCK_INTERNAL',
  'Failed to answer: a bug in momo-mock. Look at its log.',
);

/** What an error becomes that was thrown while a request was read or answered. */
export function answerFailure(
  error: FastifyError | MomoMockError,
  reply: FastifyReply,
  logger: Logger,
): FastifyReply {
  if (error instanceof MomoMockError && error.code in STATUSES) {
    return refuse(reply, refusal(error.code as ControlCode, error.message));
  }
  const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500;
  if (status === 413) return refuse(reply, TOO_LARGE);
  if (status === 415) return refuse(reply, CONTENT_TYPE);
  if (status < 500) return refuse(reply, UNREADABLE);
  logger.error(describeBug(error), 'Failed to answer on the control API: a bug in momo-mock');
  return refuse(reply, INTERNAL);
}

/** A refusal as it goes over the wire where there is no app to answer. */
export function whole(status: number, error: Refusal): RawResponse {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, body: Buffer.from(JSON.stringify({ error })) };
}

/** What is answered, with status 400, 408 or 431, to what never became a request. */
export function unreadable(status: number): RawResponse {
  return whole(status, status === 408 ? LATE : UNREADABLE);
}
