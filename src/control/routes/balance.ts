import * as Type from 'typebox';
import { jsonValue } from '../../mock/json/define.ts';
import { JSON_TYPE, Reply, route } from '../route.ts';

const examples = [{ success: true, message: '', balance: [{ amount: 50, currency: 'XOF' }] }];

export const balanceRoutes = {
  'GET /balance': route({
    summary: 'Get the balance that was set',
    result: Type.Unknown({
      description: 'The balance, byte for byte, except that keys are [redacted].',
      examples,
    }),
    nothing: 'No balance is set.',
    run: ({ account }) => {
      const json = account.balance;
      return json && new Reply(json, { 'content-type': JSON_TYPE });
    },
  }),
  'PUT /balance': route({
    summary: 'Set the balance',
    description: 'The mock serves the body byte for byte instead of the fixture file.',
    body: jsonValue({
      $id: 'Balance',
      description: 'The whole body of the response.',
      examples,
    }),
    errors: ['MOMO_MOCK_BODY_REJECTED', 'MOMO_MOCK_OPERATION_UNKNOWN'],
    nothing: 'The balance was set.',
    run: ({ account, bytes }) => account.balanceSet.set(bytes.toString()),
  }),
  'DELETE /balance': route({
    summary: 'Remove the balance that was set',
    nothing: 'No balance is set.',
    run: ({ account }) => account.balanceSet.set(undefined),
  }),
};
