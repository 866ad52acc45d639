import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import type { Controller } from '../../mock/controller/controller.ts';
import { RESPONSE, RESPONSES, type ScriptedResponse } from '../../mock/scripted-response.ts';
import { ControlError } from '../control-error.ts';
import { jsonList } from '../json-list.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors, WRITES } from '../schemas/error.ts';

const headers = ACCOUNT_HEADER;
/** The type for the schema; the response itself is a stream of JSON. */
const LEFT = Type.Unsafe<Readable>(
  Type.Object(
    { responses: Type.Array(RESPONSE) },
    {
      description:
        'The remaining responses, in the order in which they are used. Configured keys are [redacted].',
      examples: [{ responses: [{ status: 503, operation: 'GET /momo/balance', times: 2 }] }],
    },
  ),
);
const write = {
  description: 'One response or a list of responses. If one of a list is invalid, none is added.',
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
  summary: 'Show the remaining scripted responses',
  headers,
  response: { ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'), 200: LEFT },
};
const put = { summary: 'Replace the scripted responses', ...write };
const post = { summary: 'Add scripted responses', ...write };
const del = {
  summary: 'Remove the scripted responses',
  headers,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'No scripted response is left.' }),
  },
};
const UNKNOWN = new ControlError(
  'MOMO_MOCK_RESPONSE_UNKNOWN',
  'Failed to find the scripted response: none is left at this position. GET /responses lists those that are left, from position 0.',
);
const delOne = {
  summary: 'Remove a scripted response',
  headers,
  params: Type.Object({
    position: Type.String({ description: 'Its place in GET /responses, from 0.' }),
  }),
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN', 'MOMO_MOCK_RESPONSE_UNKNOWN'),
    204: Type.Null({ description: 'The response was removed.' }),
  },
};

/** The response in pieces, so that long lists are shown in turns of the event loop. */
async function* jsonOf(responses: AsyncIterable<ScriptedResponse>): AsyncGenerator<string> {
  yield '{"responses":';
  yield* jsonList(responses);
  yield '}';
}

/** `/responses`: the scripted responses. */
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
  app.delete('/responses/:position', { schema: delOne }, async (request, reply) => {
    const { position } = request.params;
    const isNumber = /^\d{1,15}$/.test(position);
    if (!isNumber || !controller.removeScript(accountOf(request), Number(position))) throw UNKNOWN;
    return reply.code(204).send(null);
  });
};
