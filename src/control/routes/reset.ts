import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors } from '../schemas/error.ts';

/** Resets an account, or without a key the whole service including TLS. */
export type Reset = (key: string | undefined) => Promise<void>;

const schema = {
  summary: 'Return to the start state',
  description:
    'Removes the set balance and variant, the scripted responses and the journal. Returns the state and the clock of handlers to the start, and removes their timers. Without an account, it also removes the accounts that tests made and sets TLS to normal.',
  headers: ACCOUNT_HEADER,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'The start state is restored.' }),
  },
};

/** `POST /reset`: resets an account, or everything. */
export const resetRoutes: FastifyPluginAsyncTypebox<{ reset: Reset }> = async (app, { reset }) => {
  app.post('/reset', { schema }, async (request, reply) => {
    await reset(accountOf(request));
    return reply.code(204).send(null);
  });
};
