import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors } from '../schemas/error.ts';

/** Resets an account, or without a key the whole service with TLS. */
export type Reset = (key: string | undefined) => Promise<void>;

const schema = {
  summary: 'Back to the start',
  description:
    'Nothing set, nothing scripted, nothing received. Without an account, accounts made since are gone and TLS is right again.',
  headers: ACCOUNT_HEADER,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'All is as it was at the start.' }),
  },
};

/** `POST /reset`: an account, or everything. */
export const resetRoutes: FastifyPluginAsyncTypebox<{ reset: Reset }> = async (app, { reset }) => {
  app.post('/reset', { schema }, async (request, reply) => {
    await reset(accountOf(request));
    return reply.code(204).send(null);
  });
};
