import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import * as Type from 'typebox';
import { invalid } from '../../mock/check.ts';
import type { Controller } from '../../mock/controller/controller.ts';
import { isKeyName } from '../../mock/redaction/secret-names.ts';

/** The headers of a request for one account or for the whole service. */
export const ACCOUNT_HEADER = Type.Object({
  apikey: Type.Optional(
    Type.String({
      description: 'The key of one account. Without it, the request is for the whole service.',
    }),
  ),
  account: Type.Optional(
    Type.String({
      description: 'The id of the account, such as account-1, instead of its key.',
    }),
  ),
});

const TWO = 'must be left out if the header apikey is there. Send one of the two';

/**
 * Finds the account of a request. Refuses a key in the query, because otherwise a request for one
 * account would apply to all.
 */
export const account = fp<{ readonly controller: Controller }>(async (app, { controller }) => {
  app.decorateRequest('apikey', undefined);
  app.addHook('preValidation', async (request) => {
    const { is404, query, headers } = request;
    if (is404) return;
    if (Object.keys(query as object).some(isKeyName)) {
      throw invalid(
        'the query',
        'must not contain a key. Send the key of the account in the header apikey',
      );
    }
    const { apikey, account: id } = headers;
    if (typeof id === 'string') {
      if (apikey !== undefined) throw invalid('the header account', TWO);
      request.setDecorator('apikey', controller.keyOf(id));
    } else if (typeof apikey === 'string') {
      // Node reads headers as latin1, and keys may be UTF-8.
      request.setDecorator('apikey', Buffer.from(apikey, 'latin1').toString());
    }
  });
});

/** The key of the account that a request is for; `undefined` for the whole service. */
export function accountOf(request: Pick<FastifyRequest, 'getDecorator'>): string | undefined {
  return request.getDecorator<string | undefined>('apikey');
}

/**
 * Refuses the headers `apikey` and `account` for a route that does not use them.
 *
 * @param advice what to do instead
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function refuseAccount(request: FastifyRequest, advice: string): void {
  const name = request.headers.account === undefined ? 'apikey' : 'account';
  if (accountOf(request) === undefined) return;
  throw invalid(`the header ${name}`, `must be left out. ${advice}`);
}
