import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { invalid } from '../../mock/check.ts';
import type { Controller } from '../../mock/controller/controller.ts';
import type { ShownState } from '../../mock/controller/shown-state.ts';
import { LONGEST_STATE_CHANGE } from '../../mock/limits.ts';
import { jsonValue } from '../../mock/scripted-response.ts';
import { STATE_CHANGE } from '../../mock/state/state-change.ts';
import { ControlError } from '../control-error.ts';
import { ACCOUNT_HEADER, accountOf } from '../plugins/account.ts';
import { errors, WRITES } from '../schemas/error.ts';

/** The errors of requests that set values. */
const REFUSED = [
  'MOMO_MOCK_STATE_REDACTED',
  'MOMO_MOCK_STATE_CHANGED',
  'MOMO_MOCK_STATE_INVALID',
] as const;
const JSON_TYPE = 'application/json; charset=utf-8';
const VALUE = { amount: 500, status: 'success' };
const UNKNOWN =
  'Failed to show the state: there is no value with this name. GET /state lists the names; set a value with PUT.';
const CHANGED = new ControlError(
  'MOMO_MOCK_STATE_CHANGED',
  'Failed to write the state: it has changed since it was read with this ETag. Read it again, and send the new ETag in If-Match.',
);
const headers = ACCOUNT_HEADER;
const conditional = Type.Object({
  ...ACCOUNT_HEADER.properties,
  'if-match': Type.Optional(
    Type.String({
      description:
        'The ETag of the state when it was read. If the state has changed since, the response is 412 and nothing is written. Without it, the request always writes.',
    }),
  ),
});
const params = Type.Object({
  name: Type.String({
    description: 'The name, percent-encoded; it may contain slashes: deposits/7f3a.',
  }),
});
/** The headers of a response that shows values. */
const shown = {
  etag: Type.String({ description: 'A new value after each change of this state.' }),
};
/** The type for the schema; the response itself is a stream of JSON. */
const VALUES = Type.Unsafe<Readable>(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'Names and values. Configured keys are [redacted].',
    headers: shown,
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
      headers: shown,
      examples: [VALUE],
    }),
  },
};
const patch = {
  summary: 'Set and delete several values of the state in one step',
  description:
    'Makes all changes, or none. To change values that depend on the old ones, send the ETag of GET /state in If-Match.',
  headers: conditional,
  body: STATE_CHANGE,
  response: {
    ...errors(...WRITES, 'MOMO_MOCK_ACCOUNT_UNKNOWN', ...REFUSED),
    204: Type.Null({ description: 'All changes were made.', headers: shown }),
  },
};
const put = {
  summary: 'Set a value of the state',
  headers: conditional,
  params,
  body: jsonValue({ description: 'The value.', examples: [VALUE] }),
  response: {
    ...errors(...WRITES, 'MOMO_MOCK_ACCOUNT_UNKNOWN', ...REFUSED),
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
    const state = stateOf(request);
    const json = jsonOf(state.list(request.query.prefix));
    return reply.header('etag', etagOf(state)).type(JSON_TYPE).send(Readable.from(json));
  });
  app.patch(
    '/state',
    { schema: patch, bodyLimit: LONGEST_STATE_CHANGE },
    async (request, reply) => {
      const state = stateOf(request);
      checkMatch(request, state);
      state.write(request.body);
      return reply.code(204).header('etag', etagOf(state)).send(null);
    },
  );
  app.get('/state/*', { schema: get, preValidation }, async (request, reply) => {
    const state = stateOf(request);
    const etag = etagOf(state);
    const value: unknown = await state.get(request.params.name);
    // Without a value, too, a client can write one only if nobody else has done so before.
    if (value === undefined) throw new ControlError('MOMO_MOCK_STATE_UNKNOWN', UNKNOWN, { etag });
    return reply.header('etag', etag).type(JSON_TYPE).send(JSON.stringify(value));
  });
  app.put('/state/*', { schema: put, preValidation }, async (request, reply) => {
    const bytes = request.getDecorator<Buffer | undefined>('bytes');
    if (!bytes?.length) throw invalid('the value', 'must be JSON');
    const state = stateOf(request);
    checkMatch(request, state);
    await state.set(request.params.name, request.body);
    return reply.code(204).send(null);
  });
  app.delete('/state/*', { schema: del, preValidation }, async (request, reply) => {
    const state = stateOf(request);
    checkMatch(request, state);
    await state.delete(request.params.name);
    return reply.code(204).send(null);
  });
};

function etagOf({ version }: ShownState): string {
  return `"${version}"`;
}

/** Refuses a request whose `If-Match` does not have the present `ETag`. */
function checkMatch({ headers }: FastifyRequest, state: ShownState): void {
  const asked = headers['if-match']?.split(',').map((one) => one.trim());
  if (asked === undefined || asked.includes('*') || asked.includes(etagOf(state))) return;
  throw CHANGED;
}
