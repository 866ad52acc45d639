import * as Type from 'typebox';
import { closedObject, define } from '../../mock/json/define.ts';
import type { Definition } from '../../mock/json/definition.ts';
import { PROMPTS_OPTIONS, type PromptEntry } from '../../mock/prompts/prompt.ts';
import { numberOf, route } from '../route.ts';
import { count, nullableText, time } from '../schemas.ts';

const ENTRY: Definition<PromptEntry> = define(
  Type.Object(
    {
      id: count('The number of the prompt, in order.', 1),
      account: nullableText(
        'The id of the account. null for an open operation without a valid key.',
      ),
      title: Type.String({ description: 'Configured keys are [redacted].' }),
      text: Type.String({ description: 'Configured keys are [redacted].' }),
      choices: Type.Immutable(
        Type.Array(Type.String(), {
          description: 'What it can be answered. Configured keys are [redacted].',
        }),
      ),
      since: time("When the handler asked, by the account's clock."),
    },
    { $id: 'PromptEntry' },
  ),
);

const PROMPTS = Type.Object(
  { prompts: Type.Array(ENTRY as unknown as Type.TSchema) },
  { description: 'The open prompts, in order.', examples: [{ prompts: [] }] },
);

const ANSWER = define(
  closedObject(
    { choice: Type.String({ description: 'One of the choices of the prompt.' }) },
    { $id: 'PromptChoice', examples: [{ choice: 'approve' }] },
  ),
);

export const promptsRoutes = {
  'GET /prompts': route({
    summary: 'List the open prompts',
    description:
      'What handlers ask people, for example the payer. Without an account, the prompts of all accounts. If waitFor are not open within timeout, the response is a 422.',
    query: PROMPTS_OPTIONS,
    errors: ['MOMO_MOCK_NOT_VERIFIED'],
    result: PROMPTS,
    run: async ({ account, query, signal }) => ({
      prompts: await account.prompts.find(query, signal),
    }),
  }),
  'POST /prompts/:id': route({
    summary: 'Answer a prompt',
    description:
      'Ends the prompt, and responds when the function of its handler has run. A choice that the prompt does not offer is a 400, and the prompt stays open. Only the first answer counts; the prompt is unknown to the next one.',
    params: { id: 'The id of an open prompt.' },
    body: ANSWER,
    errors: ['MOMO_MOCK_PROMPT_UNKNOWN', 'MOMO_MOCK_TIMER_FAILED'],
    nothing: 'The prompt is answered.',
    run: async ({ account, params: { id }, body: { choice } }) => {
      await account.prompts.answer(numberOf(id), choice);
    },
  }),
};
