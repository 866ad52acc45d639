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
    ['without a body', ofBody({}), undefined, ['body is required']],
    [
      'without a field',
      ofBody({ required: ['amount'] }),
      { currency: 'XOF' },
      ['body.amount is required'],
    ],
    [
      'with a field of another type',
      ofBody({ properties: { amount: { type: 'number' } } }),
      { amount: '5' },
      ['body.amount must be number'],
    ],
    [
      'with a field in a list',
      ofBody({ properties: { items: { items: { properties: { 'a/b~c': { minimum: 1 } } } } } }),
      { items: [{}, {}, { 'a/b~c': 0 }] },
      ['body.items[2].a/b~c must be >= 1'],
    ],
    [
      'with a field too many',
      ofBody({ properties: { a: {} }, additionalProperties: false }),
      { a: 1, b: 2 },
      ['body.b is not allowed'],
    ],
    [
      'with another value',
      ofBody({ properties: { a: { enum: ['XOF', 'GNF'] }, b: { const: 1 } } }),
      { a: 'EUR', b: 2 },
      [
        'body.a must be equal to one of the allowed values (["XOF","GNF"])',
        'body.b must be equal to constant ([1])',
      ],
    ],
    [
      'that matches no branch, each problem once',
      ofBody({ anyOf: [{ required: ['a'] }, { required: ['a'] }] }),
      {},
      ['body.a is required', 'body must match a schema in anyOf'],
    ],
    ['that is right', ofBody({ required: ['a'] }), { a: 1 }, []],
  ])('finds the problems of a request %s', async (_what, schema, body, expected) => {
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
