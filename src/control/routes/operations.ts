import * as Type from 'typebox';
import { BALANCE } from '../../mock/contract.ts';
import { flag } from '../../mock/json/define.ts';
import { findOperation } from '../../mock/operations/operation.ts';
import { operationDetails, operationSummary } from '../../mock/operations/operation-summary.ts';
import { route } from '../route.ts';
import { nullable, nullableText, texts } from '../schemas.ts';

const FIXTURE = {
  variant: nullableText('null for the default file.'),
  file: Type.String(),
  status: nullable(Type.Integer(), 'null for a handler.'),
};
const FIXTURE_DETAILS = {
  ...FIXTURE,
  headers: texts(),
  body: Type.String({ description: 'The body as text. Configured keys are [redacted].' }),
};
const operation = (fixture: Type.TProperties, options: Type.TObjectOptions = {}) =>
  Type.Object(
    {
      name: Type.String({ description: 'Such as GET /momo/balance.' }),
      schema: nullableText('The file of the schema for its bodies. null without one.'),
      needsToken: flag('true if requests need a token that was issued for their account.'),
      fixtures: Type.Array(Type.Object(fixture), {
        description: 'The default file first, then one for each variant.',
      }),
    },
    options,
  );
const EXAMPLE = {
  name: BALANCE,
  schema: 'fixtures/momo/balance.get.schema.json',
  fixtures: [{ variant: null, file: 'fixtures/momo/balance.get.json', status: 200 }],
};

export const operationsRoutes = {
  'GET /operations': route({
    summary: 'List the operations and their fixture files',
    account: false,
    result: Type.Object(
      { operations: Type.Array(operation(FIXTURE)) },
      { description: 'All operations.', examples: [{ operations: [EXAMPLE] }] },
    ),
    run: ({ server: { mock } }) => ({
      operations: mock.operations.map((each) => operationSummary(each, mock.tree)),
    }),
  }),
  'GET /operations/:name': route({
    summary: 'Get an operation with the responses in its fixture files',
    account: false,
    params: { name: 'The operation, percent-encoded: GET%20%2Fmomo%2Fbalance.' },
    errors: ['MOMO_MOCK_OPERATION_UNKNOWN'],
    result: operation(FIXTURE_DETAILS, { description: 'The operation.' }),
    run: ({ server: { mock }, params: { name = '' } }) =>
      operationDetails(findOperation(mock.operations, name), mock),
  }),
};
