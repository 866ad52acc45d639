import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import type { Controller } from '../../mock/controller.ts';
import { RESPONSE, RESPONSES, type ScriptedResponse } from '../../mock/scripted-response.ts';
import { jsonList } from '../json-list.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors, WRITES } from '../schemas/error.ts';

const headers = ACCOUNT_HEADER;
/** Sent as a stream of JSON. */
const LEFT = Type.Unsafe<Readable>(
  Type.Object(
    { responses: Type.Array(RESPONSE) },
    {
      description:
        'What is left, in the order in which it will be used. Configured keys are [redacted].',
      examples: [{ responses: [{ status: 503, operation: 'GET /momo/balance', times: 2 }] }],
    },
  ),
);
const write = {
  description: 'One response or a list of them. Either all are scripted or none is.',
  headers,
  body: RESPONSES,
  response: {
    ...errors(
      ...WRITES,
      'MOMO_MOCK_ACCOUNT_UNKNOWN',
      'MOMO_MOCK_BODY_REJECTED',
      'MOMO_MOCK_OPERATION_UNKNOWN',
    ),
    200: LEFT,
  },
};
const get = {
  summary: 'The scripted responses that are left',
  headers,
  response: { ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'), 200: LEFT },
};
const put = { summary: 'Script responses, in place of those that are left', ...write };
const post = { summary: 'Script responses, behind those that are left', ...write };
const del = {
  summary: 'Remove the scripted responses',
  headers,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'None is left.' }),
  },
};

/** The answer in pieces, so that many responses are shown in turns of the event loop. */
async function* jsonOf(responses: AsyncIterable<ScriptedResponse>): AsyncGenerator<string> {
  yield '{"responses":';
  yield* jsonList(responses);
  yield '}';
}

/** `/responses`: what is answered in place of what would be. */
export const responsesRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  const left = (request: FastifyRequest, reply: FastifyReply) => {
    const json = jsonOf(controller.responses(accountOf(request)));
    return reply.type('application/json; charset=utf-8').send(Readable.from(json));
  };
  app.get('/responses', { schema: get }, async (request, reply) => left(request, reply));
  app.put('/responses', { schema: put }, async (request, reply) => {
    controller.script(accountOf(request), request.body, 'replace');
    return left(request, reply);
  });
  app.post('/responses', { schema: post }, async (request, reply) => {
    controller.script(accountOf(request), request.body, 'append');
    return left(request, reply);
  });
  app.delete('/responses', { schema: del }, async (request, reply) => {
    controller.script(accountOf(request), [], 'replace');
    return reply.code(204).send(null);
  });
};
