import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import type { Controller } from '../../mock/controller.ts';
import { EXPECTED, VERIFY_OPTIONS } from '../../mock/expectation.ts';
import { NotVerifiedError } from '../../mock/verify.ts';
import { clientLeft } from '../client-left.ts';
import { STATUSES } from '../control-error.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { ERROR, errors, WRITES } from '../schemas/error.ts';
import { REQUEST } from '../schemas/journal.ts';

const headers = ACCOUNT_HEADER;
const VERIFIED = Type.Object(
  { verified: Type.Literal(true) },
  { description: 'Everything is as expected.', examples: [{ verified: true }] },
);
const NOT_VERIFIED = Type.Object(
  {
    ...ERROR.properties,
    closest: Type.Array(REQUEST, {
      description: 'The requests that come closest to the missing one, the closest first.',
    }),
  },
  { description: 'MOMO_MOCK_NOT_VERIFIED: something is not as expected.' },
);
const requests = {
  summary: 'Verify the received requests',
  description:
    'One expectation, a list of requests in this order with others in between allowed, or { exactly: [...] } for these requests and no others.',
  headers,
  querystring: VERIFY_OPTIONS,
  body: EXPECTED,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN', ...WRITES),
    200: VERIFIED,
    422: NOT_VERIFIED,
  },
};
const scripts = {
  summary: 'Verify that all scripted responses were used',
  description: 'Except those with times: always.',
  headers,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN', 'MOMO_MOCK_NOT_VERIFIED'),
    200: VERIFIED,
  },
};

/** `POST /verify` and `POST /verify/scripts`: whether everything is as a test expects. */
export const verifyRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.post('/verify', { schema: requests }, async (request, reply) => {
    const { body, query } = request;
    try {
      await controller.verify(accountOf(request), body, query, clientLeft(request, reply));
      return { verified: true as const };
    } catch (error) {
      if (!(error instanceof NotVerifiedError)) throw error;
      const { code, message, closest } = error;
      const shown = { error: { code, message }, closest: [...closest] };
      return reply.code(STATUSES.MOMO_MOCK_NOT_VERIFIED).send(shown);
    }
  });
  app.post('/verify/scripts', { schema: scripts }, async (request) => {
    controller.verifyScripts(accountOf(request));
    return { verified: true as const };
  });
};
