import * as Type from 'typebox';
import { CLOCK_CHANGE } from '../../mock/clock/clock-change.ts';
import { route } from '../route.ts';
import { nullable } from '../schemas.ts';

const CLOCK = Type.Object(
  {
    now: Type.Integer({ description: 'The time in ms since 1970.' }),
    frozen: Type.Boolean({ description: 'Whether timers run only during advance.' }),
    pending: Type.Integer({
      description:
        'The number of timers that are set or running. Without an account, the timers of all accounts count.',
    }),
    next: nullable(
      Type.Integer(),
      'When the next timer is due, in ms since 1970. null without a timer.',
    ),
  },
  {
    description: 'The clock.',
    examples: [{ now: 1795348800000, frozen: false, pending: 1, next: 1795348802000 }],
  },
);

export const clockRoutes = {
  'GET /clock': route({
    summary: 'Get the clock',
    result: CLOCK,
    run: ({ account }) => account.clock.state,
  }),
  'POST /clock': route({
    summary: 'Move, freeze or unfreeze the clock',
    description:
      'Responds when all due timers and webhooks have run, or with an error if the promise of a timer does not settle within MOMO_MOCK_CLIENT_TIMEOUT. Without an account, all clocks move.',
    body: CLOCK_CHANGE,
    errors: ['MOMO_MOCK_TIMER_FAILED'],
    result: CLOCK,
    run: async ({ account, body }) => {
      await account.clock.change(body);
      return account.clock.state;
    },
  }),
};
