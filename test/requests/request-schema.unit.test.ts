import { describe, expect, it } from 'vitest';
import type { CheckedRequest } from '../../src/mock/requests/request-schema.ts';
import { operation, tempTree } from '../support/temp-tree.ts';

const REQUEST: CheckedRequest = { query: {}, headers: {}, body: undefined };

/** The violations in a request, each as `path message`. */
async function violations(schema: object, request: Partial<CheckedRequest>): Promise<string[]> {
  const tree = await tempTree({
    'pay.post.json': '{}',
    'pay.post.request.schema.json': JSON.stringify(schema),
  });
  const { requestSchema } = operation(await tree.load(), 'POST /pay');
  const found = requestSchema?.violations({ ...REQUEST, ...request }, 0) ?? [];
  return found.map(({ path, message }) => `${path} ${message}`);
}

/** A schema for the body. */
const ofBody = (body: object) => ({ required: ['body'], properties: { body } });

describe('a request schema', () => {
  it.each([
    { name: 'without a body', schema: ofBody({}), body: undefined, expected: ['body is required'] },
    {
      name: 'without a field',
      schema: ofBody({ required: ['amount'] }),
      body: { currency: 'XOF' },
      expected: ['body.amount is required'],
    },
    {
      name: 'with a field of another type',
      schema: ofBody({ properties: { amount: { type: 'number' } } }),
      body: { amount: '5' },
      expected: ['body.amount must be number'],
    },
    {
      name: 'with a field in a list',
      schema: ofBody({
        properties: { items: { items: { properties: { 'a/b~c': { minimum: 1 } } } } },
      }),
      body: { items: [{}, {}, { 'a/b~c': 0 }] },
      expected: ['body.items[2].a/b~c must be >= 1'],
    },
    {
      name: 'with an extra field',
      schema: ofBody({ properties: { a: {} }, additionalProperties: false }),
      body: { a: 1, b: 2 },
      expected: ['body.b is not allowed'],
    },
    {
      name: 'with another value',
      schema: ofBody({ properties: { a: { enum: ['XOF', 'GNF'] }, b: { const: 1 } } }),
      body: { a: 'EUR', b: 2 },
      expected: [
        'body.a must be equal to one of the allowed values (["XOF","GNF"])',
        'body.b must be equal to constant ([1])',
      ],
    },
    {
      name: 'that matches no branch, each problem once',
      schema: ofBody({ anyOf: [{ required: ['a'] }, { required: ['a'] }] }),
      body: {},
      expected: ['body.a is required', 'body must match a schema in anyOf'],
    },
    { name: 'that is valid', schema: ofBody({ required: ['a'] }), body: { a: 1 }, expected: [] },
  ])('finds the problems of a request $name', async ({ schema, body, expected }) => {
    expect(await violations(schema, { body })).toEqual(expected);
  });

  it('checks the query and the headers', async () => {
    const schema = {
      properties: {
        query: { required: ['page'] },
        headers: { properties: { 'x-request-id': { format: 'uuid' } } },
      },
    };
    expect(await violations(schema, { headers: { 'x-request-id': '7' } })).toEqual([
      'query.page is required',
      'headers.x-request-id must match format "uuid"',
    ]);
  });
});
