import type { FastifyInstance } from 'fastify';
import type { Controller } from '../mock/controller.ts';
import { ACCOUNT_HEADER, accountOf } from './account-header.ts';
import { empty, errors, json, WRITES } from './answers.ts';
import { bytesOf, jsonOf } from './body.ts';
import { refusal, refuse } from './refusal.ts';

const NOT_SET = refusal(
  'MOMO_MOCK_BALANCE_NOT_SET',
  'Failed to show the balance that was set: none was, so a fixture file is served. Set one with PUT.',
);
const EXAMPLE = { success: true, message: '', balance: [{ amount: 50, currency: 'XOF' }] };
const headers = ACCOUNT_HEADER;
const ANY = { description: 'The whole body that is served.' };

const get = {
  summary: 'The balance that was set',
  headers,
  response: {
    ...json('Byte for byte as it was set.', ANY, EXAMPLE),
    ...errors(
      'MOMO_MOCK_REQUEST_INVALID',
      'MOMO_MOCK_ACCOUNT_UNKNOWN',
      'MOMO_MOCK_BALANCE_NOT_SET',
    ),
  },
};
const put = {
  summary: 'Set the balance',
  description: 'The body is served byte for byte, in place of the fixture file.',
  headers,
  body: { ...ANY, examples: [EXAMPLE] },
  response: {
    ...empty('It is served from now on.'),
    ...errors(...WRITES, 'MOMO_MOCK_ACCOUNT_UNKNOWN', 'MOMO_MOCK_BODY_REJECTED'),
  },
};
const del = {
  summary: 'Take back the balance that was set',
  headers,
  response: {
    ...empty('None is set.'),
    ...errors('MOMO_MOCK_REQUEST_INVALID', 'MOMO_MOCK_ACCOUNT_UNKNOWN'),
  },
};

/** `/balance`: the body that is served in place of the balance's file. */
export function balanceRoutes(app: FastifyInstance, controller: Controller): void {
  app.get('/balance', { schema: get }, (request, reply) => {
    const json = controller.balance(accountOf(request));
    if (json === undefined) return refuse(reply, NOT_SET);
    return reply.type('application/json; charset=utf-8').send(json);
  });
  app.put('/balance', { schema: put }, (request, reply) => {
    const key = accountOf(request);
    jsonOf(request);
    controller.setBalance(key, bytesOf(request));
    return reply.code(204).send();
  });
  app.delete('/balance', { schema: del }, (request, reply) => {
    controller.setBalance(accountOf(request), undefined);
    return reply.code(204).send();
  });
}
