import type { FastifyInstance } from 'fastify';
import type { Controller } from '../mock/controller.ts';
import { invalid } from '../mock/invalid.ts';
import { ACCOUNT_HEADER, accountOf, refuseAccount } from './account-header.ts';
import { empty, errors, json, WRITES } from './answers.ts';
import { bytesOf, jsonOf } from './body.ts';

const KEY = { type: 'string', pattern: '^[!-~]+$', minLength: 1, maxLength: 1024 } as const;
const apikey = { ...KEY, description: 'The key of the account; left out: a random one.' };

/** The schema of what an account is made with. */
export const ACCOUNT_SCHEMA = {
  $id: 'Account',
  type: 'object',
  additionalProperties: false,
  properties: {
    apikey,
    variant: { type: 'string', description: "The variant of an operation's files that it gets." },
    balance: { description: 'The balance that it has from the start; the whole body.' },
  },
  examples: [{ variant: 'empty' }, { apikey: 'test_carol', balance: { balance: [] } }],
} as const;

const post = {
  summary: 'Make an account',
  description: 'The body can be left out.',
  body: { $ref: 'Account#' },
  response: {
    ...json(
      'It is made. No other answer ever holds its key.',
      { type: 'object', required: ['apikey'], properties: { apikey: KEY } },
      { apikey: 'momo_test_Zk9DRlVxYnJvd25fZm94' },
      201,
    ),
    ...errors(
      ...WRITES,
      'MOMO_MOCK_ACCOUNT_EXISTS',
      'MOMO_MOCK_BODY_REJECTED',
      'MOMO_MOCK_VARIANT_UNKNOWN',
    ),
  },
};
const del = {
  summary: 'Remove an account',
  description: 'Its key is a wrong one from then on. What it asked stays in the journal.',
  headers: { ...ACCOUNT_HEADER, required: ['apikey'] },
  response: {
    ...empty('It is removed.'),
    ...errors('MOMO_MOCK_REQUEST_INVALID', 'MOMO_MOCK_ACCOUNT_UNKNOWN'),
  },
};

/** `/accounts`: makes and removes accounts. */
export function accountsRoutes(app: FastifyInstance, controller: Controller): void {
  app.post('/accounts', { schema: post }, (request, reply) => {
    refuseAccount(request, 'the key of the new account in the body');
    const options = bytesOf(request).length === 0 ? {} : jsonOf(request);
    return reply.code(201).send({ apikey: controller.createAccount(options) });
  });
  app.delete('/accounts', { schema: del }, (request, reply) => {
    const key = accountOf(request);
    if (key === undefined) throw invalid('the header apikey', 'the key of the account to remove');
    controller.removeAccount(key);
    return reply.code(204).send();
  });
}
