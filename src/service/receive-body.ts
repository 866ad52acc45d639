import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { LONGEST_BODY } from '../mock/journal.ts';

/** Whether a request says that a body follows. */
export function announcesBody(headers: IncomingHttpHeaders): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  return coding !== undefined || (length !== undefined && Number(length) !== 0);
}

/**
 * Receives a request's body to its end, and keeps its beginning.
 *
 * @param patience how long it may take, in ms
 * @param then gets what was kept; never called where the client goes away before the end
 * @param failed gets what was kept of a body that takes too long (408), or is not what HTTP calls
 *   a body (400)
 */
export function receiveBody(
  incoming: IncomingMessage,
  patience: number,
  then: (body: Buffer) => void,
  failed: (status: 400 | 408, body: Buffer) => void,
): void {
  const kept: Buffer[] = [];
  let room = LONGEST_BODY;
  incoming.on('data', (chunk: Buffer) => {
    if (room === 0) return;
    kept.push(chunk.subarray(0, room));
    room -= Math.min(room, chunk.length);
  });
  const end = () => then(Buffer.concat(kept));
  const fail = (status: 400 | 408): void => {
    clearTimeout(timer);
    incoming.removeListener('end', end);
    failed(status, Buffer.concat(kept));
  };
  const timer = setTimeout(() => fail(408), patience);
  incoming.on('error', ({ code }: NodeJS.ErrnoException) => {
    // Any other error is the client's going away.
    if (code?.startsWith('HPE_')) fail(400);
  });
  incoming.once('end', end);
  incoming.once('close', () => clearTimeout(timer));
}
