import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import type { Controller } from '../../mock/controller.ts';
import { REQUESTS_OPTIONS } from '../../mock/journal-filter.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors } from '../schemas/error.ts';
import { REQUEST } from '../schemas/journal.ts';

const headers = ACCOUNT_HEADER;
const get = {
  summary: 'What was received',
  description: 'In order of arrival. What is in flight is there too, without its status.',
  headers,
  querystring: REQUESTS_OPTIONS,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    200: Type.Object(
      {
        requests: Type.Array(REQUEST),
        dropped: Type.Integer({
          description: 'How many entries had to make room, of all accounts.',
          minimum: 0,
        }),
      },
      {
        description: 'What the filter lets through.',
        examples: [{ requests: [], dropped: 0 }],
      },
    ),
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

/** `/requests`: the journal. */
export const requestsRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.get('/requests', { schema: get }, async (request) => {
    const requests = await controller.requests(accountOf(request), request.query);
    return { requests, dropped: controller.dropped };
  });
  app.delete('/requests', { schema: del }, async (request, reply) => {
    controller.clearRequests(accountOf(request));
    return reply.code(204).send(null);
  });
};
