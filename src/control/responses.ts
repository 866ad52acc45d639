import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Controller } from '../mock/controller.ts';
import { ACCOUNT_HEADER, accountOf } from './account-header.ts';
import { empty, errors, json, WRITES } from './answers.ts';
import { jsonOf } from './body.ts';

const RESPONSE = { $ref: 'Response#' };
const headers = ACCOUNT_HEADER;
const left = json(
  'What is left, in the order in which it will be used.',
  {
    type: 'object',
    required: ['responses'],
    properties: { responses: { type: 'array', items: RESPONSE } },
  },
  { responses: [{ status: 503, operation: 'GET /momo/balance', times: 2 }] },
);
const unknown = errors('MOMO_MOCK_REQUEST_INVALID', 'MOMO_MOCK_ACCOUNT_UNKNOWN');
const write = {
  headers,
  body: {
    description: 'One response, or a list of them. All are taken, or none.',
    anyOf: [RESPONSE, { type: 'array', items: RESPONSE }],
    examples: [{ status: 503, times: 2 }, [{ delay: 200 }, { fault: 'reset' }]],
  },
  response: {
    ...left,
    ...errors(
      ...WRITES,
      'MOMO_MOCK_ACCOUNT_UNKNOWN',
      'MOMO_MOCK_BODY_REJECTED',
      'MOMO_MOCK_OPERATION_UNKNOWN',
    ),
  },
};
const get = {
  summary: 'The scripted responses that are left',
  headers,
  response: { ...left, ...unknown },
};
const put = { summary: 'Script responses, in place of those that are left', ...write };
const post = { summary: 'Script responses, behind those that are left', ...write };
const del = {
  summary: 'Forget the scripted responses',
  headers,
  response: { ...empty('None is left.'), ...unknown },
};

/** `/responses`: what is answered in place of what would be. */
export function responsesRoutes(app: FastifyInstance, controller: Controller): void {
  const show = (key: string | undefined) => ({ responses: controller.responses(key) });
  const script = (how: 'replace' | 'append') => (request: FastifyRequest) => {
    const key = accountOf(request);
    controller.script(key, jsonOf(request), how);
    return show(key);
  };
  app.get('/responses', { schema: get }, (request) => show(accountOf(request)));
  app.put('/responses', { schema: put }, script('replace'));
  app.post('/responses', { schema: post }, script('append'));
  app.delete('/responses', { schema: del }, (request, reply): FastifyReply => {
    controller.script(accountOf(request), [], 'replace');
    return reply.code(204).send();
  });
}
