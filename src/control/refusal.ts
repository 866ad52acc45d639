import type { FastifyReply } from 'fastify';

/** Every code that an error of the control API can carry, and the status that goes with it. */
export const STATUSES = {
  MOMO_MOCK_REQUEST_INVALID: 400,
  MOMO_MOCK_TOKEN: 401,
  MOMO_MOCK_HOST_REFUSED: 403,
  MOMO_MOCK_ORIGIN_REFUSED: 403,
  MOMO_MOCK_NOT_FOUND: 404,
  MOMO_MOCK_ACCOUNT_UNKNOWN: 404,
  MOMO_MOCK_BALANCE_NOT_SET: 404,
  MOMO_MOCK_METHOD: 405,
  MOMO_MOCK_ACCOUNT_EXISTS: 409,
  MOMO_MOCK_TOO_LARGE: 413,
  MOMO_MOCK_CONTENT_TYPE: 415,
  MOMO_MOCK_BODY_REJECTED: 422,
  MOMO_MOCK_OPERATION_UNKNOWN: 422,
  MOMO_MOCK_VARIANT_UNKNOWN: 422,
  MOMO_MOCK_INTERNAL: 500,
} as const;

/** One of {@link STATUSES}. */
export type ControlCode = keyof typeof STATUSES;

/** Why a request is not answered: a code, and a sentence that holds nothing of the request. */
export interface Refusal {
  readonly code: ControlCode;
  readonly message: string;
}

/** The refusal with a code. */
export function refusal(code: ControlCode, message: string): Refusal {
  return { code, message };
}

/** Answers with a refusal. */
export function refuse(reply: FastifyReply, { code, message }: Refusal): FastifyReply {
  // Stated by HTTP: a 401 says how to authenticate.
  if (code === 'MOMO_MOCK_TOKEN') reply.header('www-authenticate', 'Bearer');
  // Who does not mean this host has nothing more to ask: Node itself ends it there, too.
  if (code === 'MOMO_MOCK_HOST_REFUSED') reply.header('connection', 'close');
  return reply.code(STATUSES[code]).send({ error: { code, message } });
}
