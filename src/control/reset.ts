import type { FastifyInstance } from 'fastify';
import { ACCOUNT_HEADER, accountOf } from './account-header.ts';
import { empty, errors } from './answers.ts';

const schema = {
  summary: 'Back to the start',
  description:
    'Nothing set, nothing scripted, nothing received. Without an account, accounts made since are gone and TLS is right again.',
  headers: ACCOUNT_HEADER,
  response: {
    ...empty('All is as it was at the start.'),
    ...errors('MOMO_MOCK_REQUEST_INVALID', 'MOMO_MOCK_ACCOUNT_UNKNOWN'),
  },
};

/**
 * `POST /reset`: an account, or all.
 *
 * @param reset brings an account back, or without one all, TLS too
 */
export function resetRoute(
  app: FastifyInstance,
  reset: (key: string | undefined) => Promise<void>,
): void {
  app.post('/reset', { schema }, async (request, reply) => {
    await reset(accountOf(request));
    return reply.code(204).send();
  });
}
