import * as Type from 'typebox';
import { RESPONSE, RESPONSES } from '../../mock/responses/scripted-response.ts';
import { ControlError } from '../control-error.ts';
import { type Call, numberOf, route } from '../route.ts';
import { IDS } from '../schemas.ts';

const REMAINING = Type.Object(
  { responses: Type.Array(RESPONSE as unknown as Type.TSchema), ids: IDS },
  {
    description:
      'The remaining scripted responses, in the order of their use. Configured keys are [redacted].',
    examples: [
      { responses: [{ status: 503, operation: 'GET /momo/balance', times: 2 }], ids: [1] },
    ],
  },
);
const WRITE = {
  description: 'One response or a list. If one of a list is invalid, none is added.',
  body: RESPONSES,
  errors: ['MOMO_MOCK_BODY_REJECTED', 'MOMO_MOCK_OPERATION_UNKNOWN'],
  result: REMAINING,
} as const;

const remaining = ({ account }: Pick<Call, 'account'>) => ({
  responses: account.responses.remaining(),
  ids: account.responses.ids,
});

export const responsesRoutes = {
  'GET /responses': route({
    summary: 'Get the remaining scripted responses',
    result: REMAINING,
    run: remaining,
  }),
  'PUT /responses': route({
    summary: 'Replace the scripted responses',
    ...WRITE,
    run: async ({ account, body }) => {
      await account.responses.replace(body);
      return remaining({ account });
    },
  }),
  'POST /responses': route({
    summary: 'Add scripted responses',
    ...WRITE,
    run: async ({ account, body }) => {
      await account.responses.add(body);
      return remaining({ account });
    },
  }),
  'DELETE /responses': route({
    summary: 'Remove all scripted responses',
    nothing: 'No scripted response is left.',
    run: ({ account }) => account.responses.clear(),
  }),
  'DELETE /responses/:id': route({
    summary: 'Remove one scripted response',
    params: { id: 'Its id, as in the ids of GET /responses.' },
    errors: ['MOMO_MOCK_RESPONSE_UNKNOWN'],
    nothing: 'The response was removed.',
    run: ({ account, params: { id } }) => {
      if (account.responses.remove(numberOf(id))) return;
      const text =
        'Failed to find the scripted response: none with this id is left. It may have been used; GET /responses has the ids of those that are left.';
      throw new ControlError('MOMO_MOCK_RESPONSE_UNKNOWN', text);
    },
  }),
};
