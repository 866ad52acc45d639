import { fastifyPlugin } from 'fastify-plugin';
import { Account } from '../../mock/accounts.ts';
import type { ErrorAnswers } from '../../mock/answer.ts';
import { decideBeforeKeyCheck } from '../../mock/decide.ts';
import type { Mock } from '../../mock/mock.ts';
import type { Operation } from '../../mock/operation.ts';
import type { Responder } from '../reply.ts';

/** The options of the key check. */
export interface ApiKeyOptions {
  readonly mock: Mock;
  readonly errors: ErrorAnswers;
  readonly responder: Responder;
}

/**
 * Checks the API key of every request, whatever its path. Stated: without a valid key, the response
 * is 401, even for an unknown path.
 */
export const apiKeyPlugin = fastifyPlugin<ApiKeyOptions>(
  (app, { mock, errors, responder }, done) => {
    app.decorateRequest('account', null);
    app.addHook('preHandler', (request, reply, next) => {
      const { lifecycle } = request;
      const { operation, target } = lifecycle;
      if (operation !== undefined) {
        const early = decideBeforeKeyCheck({ operation, service: mock.service, errors });
        if (early !== undefined) return responder.respond(reply, early);
      }
      const account = mock.accounts.find(target?.query ?? [], request.headers);
      if (!(account instanceof Account)) return responder.reject(reply, 401, account);
      lifecycle.record.account = account.id;
      request.account = account;
      next();
    });
    done();
  },
);

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of the key; `null` before the key check. */
    account: Account | null;
  }
  interface FastifyContextConfig {
    /** The operation of the fixture tree for this route. */
    operation?: Operation;
  }
}
