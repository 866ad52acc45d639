import * as Type from 'typebox';
import { CLOCK_CHANGE } from '../../mock/clock/clock-change.ts';
import { FINISH_OPTIONS, FINISH_TIMEOUT, FINISHED } from '../../mock/verify/expectation.ts';
import { route } from '../route.ts';
import { notVerified, nullable, REQUEST } from '../schemas.ts';

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
    prompts: Type.Integer({
      description:
        'The number of open prompts. advance to idle does not wait for them, and pending and next do not count their timeouts.',
    }),
  },
  {
    description: 'The clock.',
    examples: [{ now: 1795348800000, frozen: false, pending: 1, next: 1795348802000, prompts: 0 }],
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
  'POST /finish': route({
    summary: 'Wait for a request, and move the clock until nothing is pending',
    description:
      'The body says which request, as in POST /verify; it is optional. Without status, the request must be successful (2xx). A request that arrived before the call counts, too. Without an account, a request of any account counts, and all clocks move.',
    query: FINISH_OPTIONS,
    body: FINISHED,
    isBodyOptional: true,
    result: CLOCK,
    unverified: notVerified(
      'requests',
      REQUEST,
      'too few match within timeout, or the journal cannot tell. MOMO_MOCK_TIMER_FAILED: a timer failed',
    ),
    run: async ({ account, body = {}, query, signal }) => {
      const { waitFor = 1, timeout = FINISH_TIMEOUT } = query;
      await account.finish(body, { waitFor, timeout }, signal);
      return account.clock.state;
    },
  }),
};
