import * as Type from 'typebox';
import { CALLBACK, prepareCallback } from '../../mock/callbacks/callback.ts';
import { CALLBACK_SCRIPT, SCRIPTED_CALLBACK } from '../../mock/callbacks/callback-script.ts';
import { CALLBACKS_OPTIONS } from '../../mock/journal/filter-schema.ts';
import { ControlError } from '../control-error.ts';
import { numberOf, route } from '../route.ts';
import { ATTEMPT, matchingEntries } from '../schemas.ts';

const SCRIPT = Type.Object(
  { script: Type.Array(SCRIPTED_CALLBACK as unknown as Type.TSchema) },
  {
    description: 'The rest of the script, in order.',
    examples: [{ script: [{}, { lose: true }] }],
  },
);

export const callbacksRoutes = {
  'GET /callbacks': route({
    summary: 'List the attempts of callbacks',
    description:
      'One entry for each attempt, in order. Attempts in flight are included, without a status.',
    query: CALLBACKS_OPTIONS,
    result: matchingEntries('callbacks', ATTEMPT),
    run: async ({ account, query, signal }) => {
      const { entries, dropped, total } = await account.callbacks.find(query, signal);
      return { callbacks: entries, dropped, total };
    },
  }),
  'DELETE /callbacks': route({
    summary: 'Empty the callback journal',
    nothing: 'The journal is empty.',
    run: ({ account }) => account.callbacks.clear(),
  }),
  'POST /callbacks': route({
    summary: 'Send a callback',
    description:
      "Makes the first attempt immediately, and responds when it has ended. Further attempts follow the account's clock.",
    body: CALLBACK,
    errors: ['MOMO_MOCK_CALLBACK_UNKNOWN'],
    result: ATTEMPT,
    run: async ({ account, body }) => {
      const attempt = await account.callbackQueue.send(prepareCallback(body));
      if (attempt !== undefined) return attempt;
      const text = 'Failed to send the callback: the mock was reset before. Send it again.';
      throw new ControlError('MOMO_MOCK_CALLBACK_UNKNOWN', text);
    },
  }),
  'POST /callbacks/:id/send': route({
    summary: 'Send a callback again',
    description: 'Makes one more attempt immediately, and responds when it has ended.',
    params: { id: 'The id of an attempt in the journal.' },
    errors: ['MOMO_MOCK_CALLBACK_UNKNOWN'],
    result: ATTEMPT,
    run: async ({ account, params: { id } }) => {
      const attempt = await account.sendCallbackAgain(numberOf(id));
      if (attempt !== undefined) return attempt;
      const text =
        'Failed to find the callback: the journal has no attempt with this id. It may have been removed for a newer one; GET /callbacks lists those that are kept.';
      throw new ControlError('MOMO_MOCK_CALLBACK_UNKNOWN', text);
    },
  }),
  'GET /callbacks/script': route({
    summary: 'Show the callback script',
    result: SCRIPT,
    run: ({ account }) => ({ script: account.callbackScript.value ?? [] }),
  }),
  'PUT /callbacks/script': route({
    summary: 'Script the next callbacks',
    description:
      'One object for each callback, in order: drop, delay, repeat or forge it. An empty object changes nothing. A new script replaces the rest of the previous one.',
    body: CALLBACK_SCRIPT,
    result: SCRIPT,
    run: ({ account, body }) => {
      account.callbackScript.set(body);
      return { script: body };
    },
  }),
  'DELETE /callbacks/script': route({
    summary: 'Remove the callback script',
    nothing: 'Nothing is scripted.',
    run: ({ account }) => account.callbackScript.set(undefined),
  }),
};
