import type { IncomingMessage } from 'node:http';
import { LONGEST_BODY } from '../core/journal.ts';

/**
 * Receives a request's body to its end, and keeps its beginning.
 *
 * @param patience how long it may take, in ms
 * @param then gets what was kept, `null` where there is no body. Called at once where none is
 *   announced, and never where the client goes away before the end
 * @param late gets what was kept of a body that takes too long
 */
export function receiveBody(
  incoming: IncomingMessage,
  patience: number,
  then: (body: Buffer | null) => void,
  late: (body: Buffer) => void,
): void {
  const { 'transfer-encoding': coding, 'content-length': length } = incoming.headers;
  if (coding === undefined && (length === undefined || Number(length) === 0)) {
    then(null);
    return;
  }
  const kept: Buffer[] = [];
  let room = LONGEST_BODY;
  incoming.on('data', (chunk: Buffer) => {
    if (room === 0) return;
    kept.push(chunk.subarray(0, room));
    room -= Math.min(room, chunk.length);
  });
  incoming.on('error', () => {});
  const end = () => then(Buffer.concat(kept));
  const timer = setTimeout(() => {
    incoming.removeListener('end', end);
    late(Buffer.concat(kept));
  }, patience);
  incoming.once('end', end);
  incoming.once('close', () => clearTimeout(timer));
}
