import type { IncomingHttpHeaders } from 'node:http';
import { LONGEST_BODY } from '../mock/limits.ts';
import type { ServiceRequest } from './service-request.ts';

/** Whether a request has a body. */
export function announcesBody(headers: IncomingHttpHeaders): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  return coding !== undefined || (length !== undefined && Number(length) !== 0);
}

/** The limits of a body. */
export interface BodyLimits {
  /** How long it may take to arrive, in ms. */
  readonly timeout: number;
  /** Its maximum length in bytes if all of it is kept; otherwise infinite. */
  readonly longest: number;
}

/**
 * Receives the whole body of a request, whatever its method and type, so that the journal has it
 * before the client gets the response. It is not parsed here: only handlers and request schemas read
 * it.
 *
 * @param finish called once, unless the client leaves first: without a status when the whole body
 *   has arrived, with 408 if it takes too long, with 413 if it is too long, with 400 if it is not
 *   valid HTTP
 */
export function receiveBody(
  request: ServiceRequest,
  { timeout, longest }: BodyLimits,
  finish: (status?: 400 | 408 | 413) => void,
): void {
  const kept: Buffer[] = [];
  const most = longest === Infinity ? LONGEST_BODY : longest;
  let length = 0;
  let isFinished = false;
  const conclude = (status?: 400 | 408 | 413): void => {
    if (isFinished) return;
    isFinished = true;
    const body = Buffer.concat(kept);
    const isCut = length > LONGEST_BODY;
    request.body = body;
    // The journal must not hold the whole of a long body.
    request.received(isCut ? Buffer.from(body.subarray(0, LONGEST_BODY)) : body, isCut);
    finish(status);
  };
  const { raw } = request;
  raw.on('data', (chunk: Buffer) => {
    if (isFinished) return;
    if (length < most) kept.push(chunk.subarray(0, most - length));
    length += chunk.length;
    if (length > longest) conclude(413);
  });
  raw.once('end', () => conclude());
  // Keep the listener after the end, because a late body can fail long after the response.
  raw.on('error', ({ code }: NodeJS.ErrnoException) => {
    // Any other error means that the client left.
    if (code?.startsWith('HPE_')) conclude(400);
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT') conclude(408);
  });
  request.after(timeout, () => conclude(408));
}
