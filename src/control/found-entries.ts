import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import type { Found } from '../mock/journal/record-journal.ts';
import { sleep } from '../timers.ts';
import { jsonList } from './json-list.ts';

/**
 * The schema of the entries of a journal that match a filter. The response itself is a stream of
 * JSON.
 *
 * @param name the name of the field with the entries
 */
export function foundEntries(name: 'requests' | 'callbacks', entry: Type.TSchema) {
  return Type.Unsafe<Readable>(
    Type.Object(
      {
        [name]: Type.Array(entry),
        dropped: Type.Integer({
          description:
            'The number of entries of all accounts that were removed to make room for newer ones.',
          minimum: 0,
        }),
        total: Type.Integer({
          description: 'The number of entries that match, regardless of the limit.',
          minimum: 0,
        }),
      },
      {
        description: `The ${name} that match the filter.`,
        examples: [{ [name]: [], dropped: 0, total: 0 }],
      },
    ),
  );
}

/**
 * Sends the entries of a journal that match a filter, as soon as they are found.
 *
 * @param name the name of the field with the entries
 */
export async function sendFound(
  name: 'requests' | 'callbacks',
  found: Promise<Found<unknown>>,
  { raw }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const first = await Promise.race([found, halfClosed(raw.socket, found)]);
  const json = jsonOf(name, found, first === undefined);
  return reply.type('application/json; charset=utf-8').send(Readable.from(json));
}

/** The id that a text of the path stands for; 0, which no entry has, if it is no number. */
export function idOf(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/**
 * The response in pieces, so that the journal is read in turns of the event loop.
 *
 * @param isHalfClosed whether the client may have left; then it is sent spaces, which JSON allows
 */
async function* jsonOf(
  name: string,
  received: Promise<Found<unknown>>,
  isHalfClosed: boolean,
): AsyncGenerator<string> {
  yield `{"${name}":`;
  if (isHalfClosed) {
    const isThere = received.then(() => true);
    const probe = () => sleep(PROBE_INTERVAL, false, { ref: false });
    while (!(await Promise.race([isThere, probe()]))) yield ' ';
  }
  const { entries, dropped, total } = await received;
  yield* jsonList(entries);
  yield `,"dropped":${dropped},"total":${total}}`;
}

/** The time between two spaces for a client that may have left, in ms. */
const PROBE_INTERVAL = 500;

/**
 * Resolves when a client ends its side of the connection. Usually it has left, but it may still
 * wait for the response. To find out, something is sent to it: the system of a client that has left
 * replies with a reset, which closes the connection.
 *
 * @param answer the result; when it settles, the function stops listening
 */
function halfClosed(socket: Socket, answer: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const onEnd = () => resolve();
    const forget = () => socket.off('end', onEnd);
    socket.once('end', onEnd);
    answer.then(forget, forget);
    if (socket.readableEnded) resolve();
  });
}
