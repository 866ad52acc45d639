import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { invalid } from '../../mock/check.ts';
import type { Controller } from '../../mock/controller/controller.ts';
import { jsonValue } from '../../mock/scripted-response.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors, WRITES } from '../schemas/error.ts';

const examples = [{ success: true, message: '', balance: [{ amount: 50, currency: 'XOF' }] }];
const headers = ACCOUNT_HEADER;
const get = {
  summary: 'Show the balance that was set',
  headers,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    200: Type.Unknown({
      description: 'The balance, byte for byte as it was set, except that keys are [redacted].',
      examples,
    }),
    204: Type.Null({ description: 'No balance was set, so the fixture file is served.' }),
  },
};
const put = {
  summary: 'Set the balance',
  description: 'The body is served byte for byte instead of the fixture file.',
  headers,
  body: jsonValue({ description: 'The whole body of the response.', examples }),
  response: {
    ...errors(...WRITES, 'MOMO_MOCK_ACCOUNT_UNKNOWN', 'MOMO_MOCK_BODY_REJECTED'),
    204: Type.Null({ description: 'The balance was set.' }),
  },
};
const del = {
  summary: 'Remove the balance that was set',
  headers,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'No balance is set any more.' }),
  },
};

/** `/balance`: the balance that overrides the fixture file. */
export const balanceRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.get('/balance', { schema: get }, async (request, reply) => {
    const json = controller.balance(accountOf(request));
    if (json === undefined) return reply.code(204).send(null);
    return reply.type('application/json; charset=utf-8').send(json);
  });
  app.put('/balance', { schema: put }, async (request, reply) => {
    const bytes = request.getDecorator<Buffer | undefined>('bytes');
    if (!bytes?.length) throw invalid('balance', 'must be JSON');
    controller.setBalance(accountOf(request), bytes);
    return reply.code(204).send(null);
  });
  app.delete('/balance', { schema: del }, async (request, reply) => {
    controller.setBalance(accountOf(request), undefined);
    return reply.code(204).send(null);
  });
};
