import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import * as Type from 'typebox';
import type { Controller } from '../../mock/controller/controller.ts';
import type { Definition } from '../../mock/definition.ts';
import { EXPECTED_CALLBACKS } from '../../mock/verify/callback-expectation.ts';
import { EXPECTED, VERIFY_OPTIONS } from '../../mock/verify/expectation.ts';
import { NotVerifiedError } from '../../mock/verify/verify.ts';
import { clientLeft } from '../client-left.ts';
import { STATUSES } from '../control-error.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { ATTEMPT } from '../schemas/callback.ts';
import { ERROR, errors, WRITES } from '../schemas/error.ts';
import { REQUEST } from '../schemas/journal.ts';

const headers = ACCOUNT_HEADER;
const VERIFIED = Type.Object(
  { verified: Type.Literal(true) },
  { description: 'Everything is as expected.', examples: [{ verified: true }] },
);
const notVerified = <Entry>(noun: string, entry: Definition<Entry>) =>
  Type.Object(
    {
      ...ERROR.properties,
      closest: Type.Array(Type.Unsafe<Entry>(entry), {
        description: `The ${noun} that come closest to the missing one, the closest first.`,
      }),
    },
    { description: 'MOMO_MOCK_NOT_VERIFIED: something is not as expected.' },
  );
const requests = {
  summary: 'Verify the received requests',
  description:
    'One expectation; a list of requests in this order, where other requests may come in between; or { exactly: [...] } for these requests and no others.',
  headers,
  querystring: VERIFY_OPTIONS,
  body: EXPECTED,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN', ...WRITES),
    200: VERIFIED,
    422: notVerified('requests', REQUEST),
  },
};
const callbacks = {
  summary: 'Verify the callbacks',
  description:
    'Expected attempts: one expectation; a list in this order, where others may come in between; or { exactly: [...] } for these and no others.',
  headers,
  querystring: VERIFY_OPTIONS,
  body: EXPECTED_CALLBACKS,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN', ...WRITES),
    200: VERIFIED,
    422: notVerified('attempts', ATTEMPT),
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

/** `POST /verify`, `POST /verify/callbacks` and `POST /verify/scripts`: whether everything is as a test expects. */
export const verifyRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.post('/verify', { schema: requests }, async (request, reply) => {
    const { body, query } = request;
    const left = clientLeft(request, reply);
    const verified = controller.verify(accountOf(request), body, query, left);
    return await verified.then(() => IS_VERIFIED, failed(reply));
  });
  app.post('/verify/callbacks', { schema: callbacks }, async (request, reply) => {
    const { body, query } = request;
    const left = clientLeft(request, reply);
    const verified = controller.verifyCallbacks(accountOf(request), body, query, left);
    return await verified.then(() => IS_VERIFIED, failed(reply));
  });
  app.post('/verify/scripts', { schema: scripts }, async (request) => {
    controller.verifyScripts(accountOf(request));
    return IS_VERIFIED;
  });
};

const IS_VERIFIED = { verified: true } as const;

/** Sends the error of a verification with the closest entries, and throws every other error. */
function failed(reply: FastifyReply): (error: unknown) => FastifyReply {
  return (error) => {
    if (!(error instanceof NotVerifiedError)) throw error;
    const { code, message, closest } = error;
    const shown = { error: { code, message }, closest };
    return reply.code(STATUSES.MOMO_MOCK_NOT_VERIFIED).send(shown);
  };
}
