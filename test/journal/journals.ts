import { ask } from '../support/client.ts';
import type { MomoScope, MomoTarget } from '../support/momo-mock.ts';
import { notify } from '../support/webhook.ts';

/** What is in a journal: how one more comes and has ended, and what is there. */
export const JOURNALS = {
  requests: {
    /** @param body of this one */
    add: async (scope: MomoScope & MomoTarget, body = '') =>
      void (await ask(scope, '/momo/balance', { method: 'POST', body })),
    find: (scope: MomoScope, options: object = {}) => scope.requests(options),
    verify: (scope: MomoScope, expected: object, options: object) =>
      scope.verify(expected, options),
  },
  /** For mocks whose handler calls back. */
  webhooks: {
    add: async (scope: MomoScope & MomoTarget, body = '') => {
      await scope.freeze();
      await notify(scope, { url: 'nothing', body });
      await scope.advance(0);
    },
    find: (scope: MomoScope, options: object = {}) => scope.webhooks(options),
    verify: (scope: MomoScope, expected: object, options: object) =>
      scope.verifyWebhooks(expected, options),
  },
};
