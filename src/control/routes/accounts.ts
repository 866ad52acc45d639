import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { ACCOUNT } from '../../mock/account-options.ts';
import { invalid } from '../../mock/check.ts';
import type { Controller } from '../../mock/controller/controller.ts';
import { ACCOUNT_HEADER, accountOf, refuseAccount } from '../plugins/account.ts';
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
      'MOMO_MOCK_STATE_INVALID',
    ),
    201: Type.Object(
      {
        apikey: Type.String(),
        id: Type.String({ description: 'Its name in the log and the journal.' }),
      },
      {
        description: 'The account was made. No other response contains its key.',
        examples: [{ apikey: 'momo_test_Zk9DRlVxYnJvd25fZm94', id: 'account-2' }],
      },
    ),
  },
};
const get = {
  summary: 'List the accounts',
  description: 'The list has the ids that the log and the journal show, and never a key.',
  response: {
    ...errors(),
    200: Type.Object(
      {
        accounts: Type.Array(
          Type.Object({
            id: Type.String(),
            variant: Type.Union([Type.String(), Type.Null()], {
              description: 'The variant that was set for it, or its initial variant.',
            }),
          }),
        ),
      },
      {
        description: 'In the order in which they were made.',
        examples: [{ accounts: [{ id: 'account-1', variant: null }] }],
      },
    ),
  },
};
const del = {
  summary: 'Remove an account',
  description: 'Its key becomes invalid. Its requests stay in the journal.',
  headers: ACCOUNT_HEADER,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'The account was removed.' }),
  },
};

/** `/accounts`: lists, makes and removes accounts. */
export const accountsRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.get('/accounts', { schema: get }, async () => ({ accounts: controller.accounts() }));
  app.post(
    '/accounts',
    {
      schema: post,
      preValidation: async (request) => {
        refuseAccount(request, 'Send the key of the new account in the body');
        if (request.body === undefined) request.body = {};
      },
    },
    async (request, reply) => {
      const apikey = controller.createAccount(request.body);
      return reply.code(201).send({ apikey, id: controller.accountId(apikey) ?? '' });
    },
  );
  app.delete('/accounts', { schema: del }, async (request, reply) => {
    const key = accountOf(request);
    if (key === undefined) {
      throw invalid('the header apikey', 'must be the key of the account to remove');
    }
    controller.removeAccount(key);
    return reply.code(204).send(null);
  });
};
