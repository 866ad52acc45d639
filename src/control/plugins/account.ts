import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import * as Type from 'typebox';
import { invalid } from '../../mock/check.ts';
import { isKeyName } from '../../mock/secret-names.ts';

/** The headers of a request for one account or for the whole service. */
export const ACCOUNT_HEADER = Type.Object({
  apikey: Type.Optional(
    Type.String({
      description: 'The key of one account. Without it, the request is for the whole service.',
    }),
  ),
});

/**
 * Refuses a key in the query, because otherwise a request for one account would apply to all.
 */
export const account = fp(async (app) => {
  app.addHook('preValidation', async ({ is404, query }) => {
    if (is404 || !Object.keys(query as object).some(isKeyName)) return;
    throw invalid(
      'the query',
      'must not contain a key. Send the key of the account in the header apikey',
    );
  });
});

/** The key of the account that a request is for; `undefined` for the whole service. */
export function accountOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const { apikey } = headers;
  // Node reads headers as latin1, and keys may be UTF-8.
  return typeof apikey === 'string' ? Buffer.from(apikey, 'latin1').toString() : undefined;
}

/**
 * Refuses the header `apikey` for a route that does not use it.
 *
 * @param advice what to do instead
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function refuseAccount(request: Pick<FastifyRequest, 'headers'>, advice: string): void {
  if (accountOf(request) === undefined) return;
  throw invalid('the header apikey', `must be left out. ${advice}`);
}
