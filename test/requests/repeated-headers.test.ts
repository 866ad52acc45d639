import { expect, it } from 'vitest';
import { ask, send } from '../support/client.ts';
import { preparedMock, startMock, type TestMock } from '../support/mock.ts';

const SHOWN = 'export default ({ headers, body }) => ({ body: { headers, body } });';
const FILES = {
  'momo/show.post.js': SHOWN,
  'momo/checked.post.json': [],
  'momo/checked.post.request.schema.json': {
    properties: {
      headers: { properties: { 'x-tag': { type: 'array', items: { enum: ['a', 'b'] } } } },
    },
  },
};

/** Node joins the first two in different ways, and drops the second value of the others. */
const REPEATED = {
  'x-tag': ['a', 'b'],
  cookie: ['a=1', 'b=2'],
  'content-type': ['text/plain', 'text/html'],
  host: ['localhost', 'other'],
  'user-agent': ['a/1', 'b/2'],
  referer: ['https://a', 'https://b'],
  'x-same': ['c', 'c'],
  constructor: ['x', 'y'],
};
const pairs = Object.entries(REPEATED).flatMap(([name, values]) =>
  values.flatMap((value) => [name, value]),
);

const post = (mock: TestMock) =>
  ask(mock, '/momo/show', { method: 'POST', headers: [...pairs, 'X-One', '1'] });
const mock = preparedMock(post, FILES);

it.each(Object.entries(REPEATED))('a repeated header %s is a list: %j', async (name, values) => {
  const [entry] = await mock().requests();
  const shown = name === 'cookie' ? values.map(() => '[redacted]') : values;
  expect(entry?.headers[name]).toEqual(shown);
  await mock().verify({ headers: { [name.toUpperCase()]: values }, times: 1 });
  await mock().verify({ headers: { [name]: [...values, ...values] }, times: 0 });
  await mock().verify({ headers: { 'x-one': '1' }, times: 1 });
});

it('a handler gets a repeated header as a list, and the body by the first content type', async () => {
  const mock = await startMock(FILES);
  const headers = pairs;
  const { json } = await ask(mock, '/momo/show', { method: 'POST', headers, body: '[1]' });
  expect(json).toMatchObject({ headers: REPEATED, body: [1] });
});

it('a request schema checks a repeated header as a list', async () => {
  const mock = await startMock(FILES);
  const statusOf = async (...values: string[]) => {
    const headers = { 'x-tag': values };
    return (await ask(mock, '/momo/checked', { method: 'POST', headers })).status;
  };
  expect([await statusOf('a', 'b'), await statusOf('a', 'c')]).toEqual([200, 400]);
});

it('a secret in the second of two equal headers is redacted', async () => {
  const mock = await startMock();
  const tokens = ['Bearer one-4711', 'Bearer two-4711'].flatMap((one) => ['authorization', one]);
  const headers = ['host', 'a', ...tokens, 'x-note', 'two-4711 one-4711'];
  await ask(mock, '/momo/balance', { headers });
  const [entry] = await mock.requests();
  expect(entry?.headers).toMatchObject({
    authorization: ['[redacted]', '[redacted]'],
    'x-note': '[redacted] [redacted]',
  });
});

it('a header with the name of a prototype member is an ordinary header', async () => {
  const mock = await startMock(FILES, { apiKeys: ['good'], keyIn: 'header:x-user' });
  const headers = ['host', 'a', '__proto__', 'a', '__proto__', 'b', 'x-user', 'good'];
  expect((await send(mock, '/momo/balance', { headers })).status).toBe(200);
  const [entry] = await mock.requests();
  expect(Object.entries(entry?.headers ?? {})).toContainEqual(['__proto__', ['a', 'b']]);
});
