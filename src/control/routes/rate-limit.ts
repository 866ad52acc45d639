import * as Type from 'typebox';
import { define } from '../../mock/define.ts';
import { MAX_RATE, MAX_RATE_WINDOW_MS } from '../../mock/limits.ts';
import { route } from '../route.ts';

const LIMIT = Type.Integer({
  description: 'How many requests an account may make in a window.',
  minimum: 1,
  maximum: MAX_RATE,
});
const WINDOW = Type.Integer({
  description: 'The length of a window in ms. It begins with the first request that counts.',
  minimum: 1,
  maximum: MAX_RATE_WINDOW_MS,
});
const examples = [{ limit: 5, window: 60_000 }];
const orNull = (schema: Type.TSchema) => Type.Union([schema, Type.Null()]);

const SET = Type.Object(
  { limit: orNull(LIMIT), window: orNull(WINDOW) },
  { description: 'The limit that was set, with null for both if none was.', examples },
);

export const rateLimitRoutes = [
  route({
    method: 'GET',
    path: '/rate-limit',
    summary: 'Show the rate limit that was set',
    account: true,
    result: SET,
    run: async ({ scope }) => (await scope.overrides()).rateLimit ?? { limit: null, window: null },
  }),
  route({
    method: 'PUT',
    path: '/rate-limit',
    summary: 'Set the rate limit, which counts from now on',
    description:
      'It applies to each account by itself, and takes priority over the setting; that of an account takes priority over that of all. Requests above it get errors/429 and consume nothing. The window follows the clock of the account.',
    account: true,
    body: define(
      Type.Object(
        { limit: LIMIT, window: WINDOW },
        { $id: 'RateLimit', additionalProperties: false, examples },
      ),
    ),
    result: SET,
    run: async ({ scope, body }) => {
      await scope.setRateLimit(body);
      return body;
    },
  }),
  route({
    method: 'DELETE',
    path: '/rate-limit',
    summary: 'Remove the rate limit that was set',
    description: 'That of the setting applies again, if there is one.',
    account: true,
    nothing: 'No rate limit is set any more.',
    run: ({ scope }) => scope.setRateLimit(undefined),
  }),
];
