import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { type LoggedMock, startLogged } from '../support/mock.ts';

const AMOUNT = {
  properties: {
    body: { required: ['amount'], properties: { amount: { type: 'number', minimum: 1 } } },
  },
};

const HANDLER = { 'momo/pay.post.js': 'export default () => ({ status: 201 });' };

/** Starts a mock with a request schema. */
const startWith = (schema: object, files: object = HANDLER): Promise<LoggedMock> =>
  startLogged({ 'momo/pay.post.request.schema.json': schema, ...files });

const pay = (mock: LoggedMock, body: unknown) => ask(mock, '/momo/pay', { method: 'POST', body });

/** What the journal says of the request that was refused, which no log line contradicts. */
async function hintOf(mock: LoggedMock): Promise<string> {
  const entry = (await mock.requests()).at(-1);
  expect(entry).toMatchObject({ status: 400, reason: 'request-rejected', source: 'error' });
  const logged = mock.records.find(({ reason }) => reason === 'request-rejected');
  expect(logged?.hint).toBe(entry?.hint);
  expect(mock.logged() + entry?.hint).not.toContain('canary');
  return `${entry?.hint}`;
}

it.each<[served: string, files: object, status: number]>([
  ['a handler', HANDLER, 201],
  ['a file', { 'momo/pay.post.json': { ok: true } }, 200],
])(
  'a request schema protects %s, and names the place of a problem',
  async (_served, files, status) => {
    const mock = await startWith(AMOUNT, files);
    expect((await pay(mock, { amount: 2 })).status).toBe(status);
    expect((await pay(mock, { amount: 'canary' })).status).toBe(400);
    expect(await hintOf(mock)).toMatch(/\(body\.amount\)$/);
  },
);

it('a request schema names each place in a list once, without its index, and no names of the client', async () => {
  const list = {
    items: { properties: { amount: { type: 'number' } }, additionalProperties: false },
  };
  const properties = { body: { additionalProperties: false, properties: { list } } };
  const mock = await startWith({ properties });
  const wrong = Array.from({ length: 12 }, () => ({ amount: 'x' }));
  await pay(mock, { 'canary in two words': 1, list: [...wrong, { 'a canary': 1 }] });
  expect(await hintOf(mock)).toMatch(/\(body\.…, body\.list\.amount, body\.list\.…\)$/);
});

it('a request schema checks the whole of a body that is longer than the journal keeps', async () => {
  const mock = await startWith(AMOUNT);
  const more = 'x'.repeat(100_000);
  expect((await pay(mock, { more, amount: 1 })).status).toBe(201);
  expect((await pay(mock, { more, amount: 0 })).status).toBe(400);
});

it('a request schema tells an error handler the problems', async () => {
  const mock = await startWith(AMOUNT, {
    ...HANDLER,
    'errors/400.js': 'export default ({ reason, problems }) => ({ body: { reason, problems } });',
  });
  expect(await pay(mock, { amount: 0 })).toMatchObject({
    status: 400,
    json: {
      reason: 'request-rejected',
      problems: [{ path: 'body.amount', message: 'must be >= 1' }],
    },
  });
});
