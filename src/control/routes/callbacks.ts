import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { CALLBACKS_OPTIONS } from '../../mock/callbacks/callback-filter.ts';
import { CALLBACK_SCRIPT, SCRIPTED_CALLBACK } from '../../mock/callbacks/callback-script.ts';
import type { Controller } from '../../mock/controller/controller.ts';
import { ControlError } from '../control-error.ts';
import { foundEntries, idOf, sendFound } from '../found-entries.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { ATTEMPT } from '../schemas/callback.ts';
import { errors, WRITES } from '../schemas/error.ts';

const headers = ACCOUNT_HEADER;
const SCRIPT = Type.Object(
  { script: Type.Array(SCRIPTED_CALLBACK) },
  {
    description: 'The script for the next callbacks, in order.',
    examples: [{ script: [{}, { lose: true }] }],
  },
);
const get = {
  summary: 'Show the callbacks',
  description:
    'One entry for each attempt, in order. Attempts in flight are included, without a status.',
  headers,
  querystring: CALLBACKS_OPTIONS,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    200: foundEntries('callbacks', ATTEMPT as unknown as Type.TSchema),
  },
};
const del = {
  summary: 'Empty the journal of callbacks',
  headers,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'The journal is empty.' }),
  },
};
const UNKNOWN = new ControlError(
  'MOMO_MOCK_CALLBACK_UNKNOWN',
  'Failed to find the callback: the journal has no attempt with this id. It may have been removed for a newer one; GET /callbacks lists those that are kept.',
);
const send = {
  summary: 'Send a callback again',
  description: 'Makes one more attempt immediately, and responds when it has ended.',
  headers,
  params: Type.Object({ id: Type.String({ description: 'The id of an attempt in the journal.' }) }),
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN', 'MOMO_MOCK_CALLBACK_UNKNOWN'),
    200: ATTEMPT,
  },
};
const getScript = {
  summary: 'Show the script for the next callbacks',
  headers,
  response: { ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'), 200: SCRIPT },
};
const putScript = {
  summary: 'Script the next callbacks',
  description:
    'One object for each callback, in order: it is dropped, delayed or repeated. An empty object changes nothing. It replaces the script that was set before.',
  headers,
  body: CALLBACK_SCRIPT,
  response: { ...errors(...WRITES, 'MOMO_MOCK_ACCOUNT_UNKNOWN'), 200: SCRIPT },
};
const delScript = {
  summary: 'Remove the script for callbacks',
  headers,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'),
    204: Type.Null({ description: 'Nothing is scripted any more.' }),
  },
};

/** `/callbacks`: the attempts of callbacks, and what happens to the next ones. */
export const callbacksRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.get('/callbacks', { schema: get }, async (request, reply) => {
    const { query, signal } = request;
    const found = controller.attempts(accountOf(request), query, signal);
    return await sendFound('callbacks', found, request, reply);
  });
  app.delete('/callbacks', { schema: del }, async (request, reply) => {
    controller.clearCallbacks(accountOf(request));
    return reply.code(204).send(null);
  });
  app.post('/callbacks/:id/send', { schema: send }, async (request) => {
    const made = await controller.sendAgain(accountOf(request), idOf(request.params.id));
    if (made === undefined) throw UNKNOWN;
    return made;
  });
  app.get('/callbacks/script', { schema: getScript }, async (request) => ({
    script: [...controller.callbackScript(accountOf(request))],
  }));
  app.put('/callbacks/script', { schema: putScript }, async (request) => {
    controller.scriptCallbacks(accountOf(request), request.body);
    return { script: [...request.body] };
  });
  app.delete('/callbacks/script', { schema: delScript }, async (request, reply) => {
    controller.scriptCallbacks(accountOf(request), []);
    return reply.code(204).send(null);
  });
};
