import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { VARIANT } from '../../mock/account-options.ts';
import type { Controller } from '../../mock/controller/controller.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors, WRITES } from '../schemas/error.ts';

const headers = ACCOUNT_HEADER;
const SET = Type.Object(
  { variant: Type.Union([Type.String(), Type.Null()]) },
  {
    description: 'The variant that was set. null if none was.',
    examples: [{ variant: 'empty' }],
  },
);
const get = {
  summary: 'Show the variant that was set',
  headers,
  response: { ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'), 200: SET },
};
const put = {
  summary: 'Set the variant',
  description:
    'Each operation that has a file for the variant serves it. It takes priority over the initial variant of an account.',
  headers,
  body: Type.Object(
    { variant: VARIANT },
    { additionalProperties: false, examples: [{ variant: 'empty' }] },
  ),
  response: {
    ...errors(...WRITES, 'MOMO_MOCK_ACCOUNT_UNKNOWN', 'MOMO_MOCK_VARIANT_UNKNOWN'),
    200: SET,
  },
};
const del = {
  summary: 'Remove the variant that was set',
  headers,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'No variant is set any more.' }),
  },
};

/** `/variant`: the variant of the fixture files that a test sets. */
export const variantRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.get('/variant', { schema: get }, async (request) => {
    return { variant: controller.variant(accountOf(request)) ?? null };
  });
  app.put('/variant', { schema: put }, async (request) => {
    const { variant } = request.body;
    controller.setVariant(accountOf(request), variant);
    return { variant };
  });
  app.delete('/variant', { schema: del }, async (request, reply) => {
    controller.setVariant(accountOf(request), undefined);
    return reply.code(204).send(null);
  });
};
