import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import type { Controller } from '../../mock/controller.ts';
import { RESPONSE, RESPONSES } from '../../mock/scripted-response.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors, WRITES } from '../schemas/error.ts';

const headers = ACCOUNT_HEADER;
const LEFT = Type.Object(
  { responses: Type.Array(RESPONSE) },
  {
    description: 'What is left, in the order in which it will be used.',
    examples: [{ responses: [{ status: 503, operation: 'GET /momo/balance', times: 2 }] }],
  },
);
const write = {
  description: 'One response or a list of them. Either all are scripted or none is.',
  headers,
  body: RESPONSES,
  response: {
    ...errors(
      ...WRITES,
      'MOMO_MOCK_ACCOUNT_UNKNOWN',
      'MOMO_MOCK_BODY_REJECTED',
      'MOMO_MOCK_OPERATION_UNKNOWN',
    ),
    200: LEFT,
  },
};
const get = {
  summary: 'The scripted responses that are left',
  headers,
  response: { ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'), 200: LEFT },
};
const put = { summary: 'Script responses, in place of those that are left', ...write };
const post = { summary: 'Script responses, behind those that are left', ...write };
const del = {
  summary: 'Remove the scripted responses',
  headers,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'None is left.' }),
  },
};

/** `/responses`: what is answered in place of what would be. */
export const responsesRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  const left = (key: string | undefined) => ({ responses: controller.responses(key) });
  app.get('/responses', { schema: get }, async (request) => left(accountOf(request)));
  app.put('/responses', { schema: put }, async (request) => {
    controller.script(accountOf(request), request.body, 'replace');
    return left(accountOf(request));
  });
  app.post('/responses', { schema: post }, async (request) => {
    controller.script(accountOf(request), request.body, 'append');
    return left(accountOf(request));
  });
  app.delete('/responses', { schema: del }, async (request, reply) => {
    controller.script(accountOf(request), [], 'replace');
    return reply.code(204).send(null);
  });
};
