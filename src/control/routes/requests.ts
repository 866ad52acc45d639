import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import type { Controller } from '../../mock/controller/controller.ts';
import { REQUESTS_OPTIONS } from '../../mock/journal/journal-filter.ts';
import { ControlError } from '../control-error.ts';
import { foundEntries, idOf, sendFound } from '../found-entries.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors } from '../schemas/error.ts';
import { DETAILS, REQUEST } from '../schemas/journal.ts';

const headers = ACCOUNT_HEADER;
const RECEIVED = foundEntries('requests', REQUEST);
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

/** `/requests`: the journal. */
export const requestsRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.get('/requests', { schema: get }, async (request, reply) => {
    const { query, signal } = request;
    const received = controller.received(accountOf(request), query, signal);
    return await sendFound('requests', received, request, reply);
  });
  app.delete('/requests', { schema: del }, async (request, reply) => {
    controller.clearRequests(accountOf(request));
    return reply.code(204).send(null);
  });
  app.get('/requests/:id', { schema: getOne }, async (request) => {
    const found = controller.request(accountOf(request), idOf(request.params.id));
    if (found === undefined) throw UNKNOWN;
    return found;
  });
};
