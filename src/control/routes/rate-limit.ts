import * as Type from 'typebox';
import { readRateLimit } from '../../mock/account/rate-limit.ts';
import { closedObject, define } from '../../mock/json/define.ts';
import { MAX_RATE, MAX_RATE_WINDOW_MS } from '../../mock/limits.ts';
import { route } from '../route.ts';
import { nullable } from '../schemas.ts';

const LIMIT = Type.Integer({
  description: 'How many requests an account may make in a window.',
  minimum: 1,
  maximum: MAX_RATE,
});
const WINDOW = Type.Integer({
  description: 'The length of a window, in ms. A window begins with its first request.',
  minimum: 1,
  maximum: MAX_RATE_WINDOW_MS,
});
const examples = [{ limit: 5, window: 60_000 }];
const TEXT = Type.Refine(
  Type.String({ description: 'The same as text.', examples: ['5/1m'] }),
  (text) => readRateLimit(text) !== undefined,
);

const CURRENT = Type.Object(
  { limit: nullable(LIMIT), window: nullable(WINDOW) },
  { description: 'The rate limit, with null for both fields if none is set.', examples },
);

export const rateLimitRoutes = {
  'GET /rate-limit': route({
    summary: 'Get the rate limit that was set',
    result: CURRENT,
    run: ({ account }) => account.rateLimiter.limit ?? { limit: null, window: null },
  }),
  'PUT /rate-limit': route({
    summary: 'Set the rate limit',
    description:
      "Each account has its own count, which starts when you set the limit. An account's limit overrides the limit of all accounts, which overrides MOMO_MOCK_RATE_LIMIT. Requests above the limit get errors/429 and consume no scripted response. The window follows the account's clock.",
    body: define(
      Type.Union([closedObject({ limit: LIMIT, window: WINDOW }), TEXT], {
        $id: 'RateLimit',
        title: 'an object with limit, window, or a text such as 10/s, 100/1m or 1000/h',
        examples: [...examples, '5/1m'],
      }),
    ),
    result: CURRENT,
    run: ({ account, body }) => {
      const limit = typeof body === 'string' ? readRateLimit(body) : body;
      account.setRateLimit(limit);
      return limit;
    },
  }),
  'DELETE /rate-limit': route({
    summary: 'Remove the rate limit that was set',
    description: 'MOMO_MOCK_RATE_LIMIT applies again, if it is set.',
    nothing: 'No rate limit is set.',
    run: ({ account }) => account.setRateLimit(undefined),
  }),
};
