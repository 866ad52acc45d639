import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import type { Controller } from '../../mock/controller.ts';
import type { Received } from '../../mock/journal.ts';
import { REQUESTS_OPTIONS } from '../../mock/journal-filter.ts';
import { sleep } from '../../timers.ts';
import { jsonList } from '../json-list.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors } from '../schemas/error.ts';
import { REQUEST } from '../schemas/journal.ts';

const headers = ACCOUNT_HEADER;
/** Sent as a stream of JSON. */
const RECEIVED = Type.Unsafe<Readable>(
  Type.Object(
    {
      requests: Type.Array(REQUEST),
      dropped: Type.Integer({
        description: 'How many entries had to make room, of all accounts.',
        minimum: 0,
      }),
      total: Type.Integer({
        description: 'How many entries match, also beyond the limit.',
        minimum: 0,
      }),
    },
    {
      description: 'What the filter lets through.',
      examples: [{ requests: [], dropped: 0, total: 0 }],
    },
  ),
);
const get = {
  summary: 'What was received',
  description: 'In order of arrival. What is in flight is there too, without its status.',
  headers,
  querystring: REQUESTS_OPTIONS,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    200: RECEIVED,
  },
};
const del = {
  summary: 'Empty the journal',
  headers,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'It is empty.' }),
  },
};

/**
 * The answer in pieces, so that the journal is read in turns of the event loop.
 *
 * @param isHalfClosed the client may be gone, so it is sent spaces, which JSON allows, while it waits
 */
async function* jsonOf(received: Promise<Received>, isHalfClosed: boolean): AsyncGenerator<string> {
  yield '{"requests":';
  if (isHalfClosed) {
    const isThere = received.then(() => true);
    const probe = () => sleep(PROBE_INTERVAL, false, { ref: false });
    while (!(await Promise.race([isThere, probe()]))) yield ' ';
  }
  const { entries, dropped, total } = await received;
  yield* jsonList(entries);
  yield `,"dropped":${dropped},"total":${total}}`;
}

/** How often something is sent to a client that may be gone, in ms. */
const PROBE_INTERVAL = 500;

/**
 * Resolves when a client says that it sends no more. Most often it is gone, but it may wait for its
 * answer. Which of the two shows when it is sent something: the system of a client that is gone
 * answers by a reset, and the next piece finds the connection closed.
 *
 * @param answer from its end on, it matters no more
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

/** `/requests`: the journal. */
export const requestsRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.get('/requests', { schema: get }, async (request, reply) => {
    const { query, raw, signal } = request;
    const received = controller.received(accountOf(request), query, signal);
    const first = await Promise.race([received, halfClosed(raw.socket, received)]);
    const json = jsonOf(received, first === undefined);
    return reply.type('application/json; charset=utf-8').send(Readable.from(json));
  });
  app.delete('/requests', { schema: del }, async (request, reply) => {
    controller.clearRequests(accountOf(request));
    return reply.code(204).send(null);
  });
};
