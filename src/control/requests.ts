import type { FastifyInstance } from 'fastify';
import type { Controller } from '../mock/controller.ts';
import { ACCOUNT_HEADER, accountOf } from './account-header.ts';
import { empty, errors, json } from './answers.ts';
import { FILTER_SCHEMA } from './request-schema.ts';

const headers = ACCOUNT_HEADER;
const unknown = errors('MOMO_MOCK_REQUEST_INVALID', 'MOMO_MOCK_ACCOUNT_UNKNOWN');
const JOURNAL = {
  type: 'object',
  required: ['requests', 'dropped'],
  properties: {
    requests: { type: 'array', items: { $ref: 'Request#' } },
    dropped: {
      type: 'integer',
      minimum: 0,
      description: 'How many entries had to make room, of all accounts.',
    },
  },
};
const get = {
  summary: 'What was received',
  description: 'In order of arrival. What is in flight is there too, without its status.',
  headers,
  querystring: FILTER_SCHEMA,
  response: {
    ...json('What the filter lets through.', JOURNAL, { requests: [], dropped: 0 }),
    ...unknown,
  },
};
const del = {
  summary: 'Forget what was received',
  headers,
  response: { ...empty('It is forgotten.'), ...unknown },
};

/** `/requests`: the journal. */
export function requestsRoutes(app: FastifyInstance, controller: Controller): void {
  app.get('/requests', { schema: get }, async (request) => {
    const requests = await controller.requests(
      accountOf(request),
      numbersOf(request.query as Query),
    );
    return { requests, dropped: controller.dropped };
  });
  app.delete('/requests', { schema: del }, (request, reply) => {
    controller.clearRequests(accountOf(request));
    return reply.code(204).send();
  });
}

type Query = Readonly<Record<string, string | string[]>>;

/** A query has only text: what looks like a number is one, but where text is asked for. */
function numbersOf(query: Query): Record<string, unknown> {
  const convert = ([name, value]: [string, string | string[]]) => {
    const isNumber = name !== 'path' && typeof value === 'string' && /^\d+$/.test(value);
    return [name, isNumber ? Number(value) : value];
  };
  return Object.fromEntries(Object.entries(query).map(convert));
}
