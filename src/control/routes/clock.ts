import * as Type from 'typebox';
import { CLOCK_CHANGE } from '../../mock/clock/clock-change.ts';
import { route } from '../route.ts';

const CLOCK = Type.Object(
  {
    now: Type.Integer({ description: 'The time in ms since 1970.' }),
    frozen: Type.Boolean({ description: 'Whether timers run only in advance.' }),
    pending: Type.Integer({
      description:
        'The number of timers that are set or running. Without an account, it counts those of all accounts.',
    }),
    lost: Type.Optional(
      Type.Integer({
        description: 'With a store: the number of timers of processes that have ended.',
      }),
    ),
    missing: Type.Optional(
      Type.Integer({
        description:
          'With a store, after POST: the number of processes that did not say in time that they have run what came due.',
      }),
    ),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The time at which the next timer is due, in ms since 1970. null without one.',
    }),
  },
  {
    description: 'The clock.',
    examples: [{ now: 1795348800000, frozen: false, pending: 1, next: 1795348802000 }],
  },
);

export const clockRoutes = [
  route({
    method: 'GET',
    path: '/clock',
    summary: 'Show the clock of handlers',
    account: true,
    result: CLOCK,
    run: ({ scope }) => scope.clockState(),
  }),
  route({
    method: 'POST',
    path: '/clock',
    summary: 'Move or freeze the clock of handlers',
    description:
      'Responds when all timers and callbacks that came due have run, or with an error if the promise of a timer does not settle within the client timeout. Without an account, it applies to the clocks of all accounts.',
    account: true,
    body: CLOCK_CHANGE,
    errors: ['MOMO_MOCK_TIMER_FAILED'],
    result: CLOCK,
    run: async ({ scope, body }) => {
      const missing = await scope.changeClock(body);
      const clock = await scope.clockState();
      return clock.lost === undefined ? clock : { ...clock, missing };
    },
  }),
];
