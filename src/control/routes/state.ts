import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { invalid } from '../../mock/check.ts';
import type { Controller } from '../../mock/controller/controller.ts';
import { ControlError } from '../control-error.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors, WRITES } from '../schemas/error.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const VALUE = { amount: 500, status: 'success' };
const UNKNOWN = new ControlError(
  'MOMO_MOCK_STATE_UNKNOWN',
  'Failed to show the state: there is no value with this name. GET /state lists the names; set a value with PUT.',
);
const headers = ACCOUNT_HEADER;
const params = Type.Object({
  name: Type.String({
    description: 'The name, percent-encoded; it may contain slashes: deposits/7f3a.',
  }),
});
/** The type for the schema; the response itself is a stream of JSON. */
const VALUES = Type.Unsafe<Readable>(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'Names and values. Configured keys are [redacted].',
    examples: [{ 'deposits/7f3a': VALUE }],
  }),
);
const getAll = {
  summary: 'Show the state of handlers',
  description:
    'An account has its own values, then those of the service, then those of state.json.',
  headers,
  querystring: Type.Object(
    {
      prefix: Type.Optional(
        Type.String({ description: 'Only the names that begin with this text.' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: { ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN'), 200: VALUES },
};
const get = {
  summary: 'Show a value of the state',
  headers,
  params,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN', 'MOMO_MOCK_STATE_UNKNOWN'),
    200: Type.Unknown({
      description: 'The value. Configured keys in it are [redacted].',
      examples: [VALUE],
    }),
  },
};
const put = {
  summary: 'Set a value of the state',
  headers,
  params,
  body: Type.Unknown({ description: 'The value.', examples: [VALUE] }),
  response: {
    ...errors(...WRITES, 'MOMO_MOCK_ACCOUNT_UNKNOWN', 'MOMO_MOCK_STATE_INVALID'),
    204: Type.Null({ description: 'The value was set.' }),
  },
};
const del = {
  summary: 'Delete a value of the state',
  description: 'For an account, the value of the service is hidden, too.',
  headers,
  params,
  response: {
    ...errors('MOMO_MOCK_ACCOUNT_UNKNOWN', 'MOMO_MOCK_STATE_INVALID'),
    204: Type.Null({ description: 'There is no value with this name any more.' }),
  },
};

/** Names the parameter of the route, whose slashes belong to the name. */
async function nameParameter(request: FastifyRequest): Promise<void> {
  request.params = { name: (request.params as { '*': string })['*'] };
}

/** An object as JSON, in one piece per value. */
async function* jsonOf(list: Promise<[name: string, value: unknown][]>): AsyncGenerator<string> {
  let before = '{';
  for (const [name, value] of await list) {
    yield `${before}${JSON.stringify(name)}:${JSON.stringify(value)}`;
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

/** `/state`: the state of handlers. */
export const stateRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  const stateOf = (request: FastifyRequest) => controller.state(accountOf(request));
  const preValidation = nameParameter;
  app.get('/state', { schema: getAll }, async (request, reply) => {
    const json = jsonOf(stateOf(request).list(request.query.prefix));
    return reply.type(JSON_TYPE).send(Readable.from(json));
  });
  app.get('/state/*', { schema: get, preValidation }, async (request, reply) => {
    const value: unknown = await stateOf(request).get(request.params.name);
    if (value === undefined) throw UNKNOWN;
    return reply.type(JSON_TYPE).send(JSON.stringify(value));
  });
  app.put('/state/*', { schema: put, preValidation }, async (request, reply) => {
    const bytes = request.getDecorator<Buffer | undefined>('bytes');
    if (!bytes?.length) throw invalid('the value', 'must be JSON');
    await stateOf(request).set(request.params.name, request.body);
    return reply.code(204).send(null);
  });
  app.delete('/state/*', { schema: del, preValidation }, async (request, reply) => {
    await stateOf(request).delete(request.params.name);
    return reply.code(204).send(null);
  });
};
