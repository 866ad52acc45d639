import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { CLOCK_CHANGE } from '../../mock/clock/clock-change.ts';
import type { Controller } from '../../mock/controller/controller.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors, WRITES } from '../schemas/error.ts';

const headers = ACCOUNT_HEADER;
const CLOCK = Type.Object(
  {
    now: Type.Integer({ description: 'The time in ms since 1970.' }),
    frozen: Type.Boolean({ description: 'Whether timers run only in advance.' }),
    pending: Type.Integer({
      description:
        'The number of timers that are set or running. Without an account, it counts those of all accounts.',
    }),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The time at which the next timer is due, in ms since 1970. null without one.',
    }),
  },
  {
    description: 'The clock.',
    examples: [{ now: 1795348800000, frozen: false, pending: 1, next: 1795348802000 }],
  },
);
const get = {
  summary: 'Show the clock of handlers',
  headers,
  response: { ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'), 200: CLOCK },
};
const post = {
  summary: 'Move or freeze the clock of handlers',
  description:
    'Responds when all timers and callbacks that came due have run, or with an error if the promise of a timer does not settle within the client timeout. Without an account, it applies to the clocks of all accounts.',
  headers,
  body: CLOCK_CHANGE,
  response: {
    ...errors(...WRITES, 'MOMO_MOCK_ACCOUNT_UNKNOWN', 'MOMO_MOCK_TIMER_FAILED'),
    200: CLOCK,
  },
};

/** `/clock`: the clock of handlers. */
export const clockRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.get('/clock', { schema: get }, async (request) => controller.clock(accountOf(request)));
  app.post('/clock', { schema: post }, async (request) => {
    const key = accountOf(request);
    await controller.changeClock(key, request.body);
    return controller.clock(key);
  });
};
