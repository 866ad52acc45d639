import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import type { Controller } from '../../mock/controller.ts';
import type { Received } from '../../mock/journal.ts';
import { REQUESTS_OPTIONS } from '../../mock/journal-filter.ts';
import { sleep } from '../../timers.ts';
import { ControlError } from '../control-error.ts';
import { jsonList } from '../json-list.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors } from '../schemas/error.ts';
import { DETAILS, REQUEST } from '../schemas/journal.ts';

const headers = ACCOUNT_HEADER;
/** The type for the schema; the response itself is a stream of JSON. */
const RECEIVED = Type.Unsafe<Readable>(
  Type.Object(
    {
      requests: Type.Array(REQUEST),
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
      description: 'The requests that match the filter.',
      examples: [{ requests: [], dropped: 0, total: 0 }],
    },
  ),
);
const get = {
  summary: 'Show the received requests',
  description: 'In order of arrival. Requests in flight are included, without a status.',
  headers,
  querystring: REQUESTS_OPTIONS,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    200: RECEIVED,
  },
};
const UNKNOWN = new ControlError(
  'MOMO_MOCK_REQUEST_UNKNOWN',
  'Failed to find the request: the journal has none with this id. It may have been removed for a newer one; GET /requests lists those that are kept.',
);
const getOne = {
  summary: 'Show a received request and its response',
  description:
    'The response is the one that was decided. A fault may have changed or prevented it.',
  headers,
  params: Type.Object({ id: Type.String({ description: 'The id in the journal.' }) }),
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN', 'MOMO_MOCK_REQUEST_UNKNOWN'),
    200: DETAILS,
  },
};
const del = {
  summary: 'Empty the journal',
  headers,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'The journal is empty.' }),
  },
};

/**
 * The response in pieces, so that the journal is read in turns of the event loop.
 *
 * @param isHalfClosed whether the client may have left; then it is sent spaces, which JSON allows
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
  app.get('/requests/:id', { schema: getOne }, async (request) => {
    const id = /^\d{1,15}$/.test(request.params.id) ? Number(request.params.id) : 0;
    const found = controller.request(accountOf(request), id);
    if (found === undefined) throw UNKNOWN;
    return found;
  });
  app.delete('/requests', { schema: del }, async (request, reply) => {
    controller.clearRequests(accountOf(request));
    return reply.code(204).send(null);
  });
};
