import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import type { Controller } from '../../mock/controller/controller.ts';
import { BALANCE } from '../../mock/operation.ts';
import { errors } from '../schemas/error.ts';

const FIXTURE = {
  variant: Type.Union([Type.String(), Type.Null()], { description: 'null for the default file.' }),
  file: Type.String(),
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'null for a handler.' }),
};
const HEADERS = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Immutable(Type.Array(Type.String()))]),
);
const FIXTURE_DETAILS = {
  ...FIXTURE,
  headers: HEADERS,
  body: Type.String({ description: 'The body as text. Configured keys are [redacted].' }),
};
const OPERATION = {
  name: Type.String({ description: 'Such as GET /momo/balance.' }),
  schema: Type.Union([Type.String(), Type.Null()], {
    description: 'The file of the schema for its bodies. null without one.',
  }),
};
const FIXTURES = 'The default file first, then one for each variant.';
const EXAMPLE = {
  name: BALANCE,
  schema: 'fixtures/momo/balance.get.schema.json',
  fixtures: [{ variant: null, file: 'fixtures/momo/balance.get.json', status: 200 }],
};

const get = {
  summary: 'List the operations and their fixture files',
  response: {
    ...errors(),
    200: Type.Object(
      {
        operations: Type.Array(
          Type.Object({
            ...OPERATION,
            fixtures: Type.Immutable(Type.Array(Type.Object(FIXTURE), { description: FIXTURES })),
          }),
        ),
      },
      { description: 'All operations.', examples: [{ operations: [EXAMPLE] }] },
    ),
  },
};
const getOne = {
  summary: 'Show an operation and the responses of its fixture files',
  params: Type.Object({
    name: Type.String({
      description: 'The name of the operation, percent-encoded: GET%20%2Fmomo%2Fbalance.',
    }),
  }),
  response: {
    ...errors('MOMO_MOCK_OPERATION_UNKNOWN'),
    200: Type.Object(
      {
        ...OPERATION,
        fixtures: Type.Immutable(
          Type.Array(Type.Object(FIXTURE_DETAILS), { description: FIXTURES }),
        ),
      },
      { description: 'The operation.' },
    ),
  },
};

/** `/operations`: what the service answers, and from which files. */
export const operationsRoutes: FastifyPluginAsyncTypebox<{ controller: Controller }> = async (
  app,
  { controller },
) => {
  app.get('/operations', { schema: get }, async () => ({ operations: controller.operations() }));
  app.get('/operations/:name', { schema: getOne }, async ({ params }) =>
    controller.operation(params.name),
  );
};
