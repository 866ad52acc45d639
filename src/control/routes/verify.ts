import * as Type from 'typebox';
import { EXPECTED, EXPECTED_WEBHOOKS, VERIFY_OPTIONS } from '../../mock/verify/expectation.ts';
import { route } from '../route.ts';
import { ATTEMPT, notVerified, REQUEST } from '../schemas.ts';

const VERIFIED = Type.Object(
  { verified: Type.Literal(true) },
  { description: 'Everything is as expected.', examples: [{ verified: true }] },
);
const IS_VERIFIED = { verified: true };
export const verifyRoutes = {
  'POST /verify': route({
    summary: 'Verify the received requests',
    description:
      'One expectation, a list of requests in this order (others may come in between), or { exactly: [...] } for these requests and no others.',
    query: VERIFY_OPTIONS,
    body: EXPECTED,
    result: VERIFIED,
    unverified: notVerified('requests', REQUEST),
    run: async ({ account, body, query, signal }) => {
      await account.requests.verify(body, query, signal);
      return IS_VERIFIED;
    },
  }),
  'POST /verify/webhooks': route({
    summary: 'Verify the webhooks',
    description:
      'One expectation, a list of attempts in this order (others may come in between), or { exactly: [...] } for these attempts and no others.',
    query: VERIFY_OPTIONS,
    body: EXPECTED_WEBHOOKS,
    result: VERIFIED,
    unverified: notVerified('attempts', ATTEMPT),
    run: async ({ account, body, query, signal }) => {
      await account.webhooks.verify(body, query, signal);
      return IS_VERIFIED;
    },
  }),
  'POST /verify/used': route({
    summary: 'Verify that all scripted responses and webhook scripts were used',
    description:
      'Responses with times: always do not count. Without an account, it verifies those of all accounts, and none that were scripted for one account.',
    errors: ['MOMO_MOCK_NOT_VERIFIED'],
    result: VERIFIED,
    run: async ({ account }) => {
      await account.verifyUsed();
      return IS_VERIFIED;
    },
  }),
};
