import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { ACCOUNT } from '../../mock/account-options.ts';
import type { Controller } from '../../mock/controller.ts';
import { accountOf, refuseAccount } from '../plugins/account.ts';
import { errors, WRITES } from '../schemas/error.ts';

const post = {
  summary: 'Make an account',
  description: 'The body is optional.',
  body: ACCOUNT,
  response: {
    ...errors(
      ...WRITES,
      'MOMO_MOCK_ACCOUNT_EXISTS',
      'MOMO_MOCK_BODY_REJECTED',
      'MOMO_MOCK_VARIANT_UNKNOWN',
    ),
    201: Type.Object(
      { apikey: Type.String() },
      {
        description: 'The account was made. No other response contains its key.',
        examples: [{ apikey: 'momo_test_Zk9DRlVxYnJvd25fZm94' }],
      },
    ),
  },
};
const del = {
  summary: 'Remove an account',
  description: 'Its key is invalid from then on. Its requests stay in the journal.',
  headers: Type.Object({
    apikey: Type.String({ title: 'the key of the account to remove, in the header apikey' }),
  }),
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'The account was removed.' }),
  },
};

/** `/accounts`: makes and removes accounts. */
export const accountsRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.post(
    '/accounts',
    {
      schema: post,
      preValidation: async (request) => {
        refuseAccount(request, 'Send the key of the new account in the body');
        if (request.body === undefined) request.body = {};
      },
    },
    async (request, reply) =>
      reply.code(201).send({ apikey: controller.createAccount(request.body) }),
  );
  app.delete('/accounts', { schema: del }, async (request, reply) => {
    controller.removeAccount(accountOf(request) ?? '');
    return reply.code(204).send(null);
  });
};
