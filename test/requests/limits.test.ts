import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';

const ECHO = 'export default ({ query, body }) => ({ body: JSON.stringify({ query, body }) });';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=x' };
const parts = (count: number) =>
  `${'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(count)}--x--\r\n`;
const levels = (count: number) => '['.repeat(count) + ']'.repeat(count);

const mock = sharedMock({
  'momo/echo.post.js': ECHO,
  'momo/checked.post.json': { ok: true },
  'momo/checked.post.request.schema.json': { type: 'object' },
  'momo/plain.post.json': { ok: true },
  'errors/400.js': 'export default ({ problems }) => ({ body: { problems } });',
});
const post = (path: string, body: string, headers = {}) =>
  ask(mock(), path, { method: 'POST', body, headers });

const FIELDS = 'must have at most 1000 fields';
const LEVELS = 'must have at most 100 levels of lists and objects';

it.each([
  // The key is one of them.
  {
    name: '1,001 fields of the query',
    url: `/momo/echo?${'a=1&'.repeat(1000)}`,
    body: '',
    headers: {},
    path: 'query',
    message: FIELDS,
  },
  {
    name: '1,001 fields of a form',
    url: '/momo/echo',
    body: `a=1${'&a=1'.repeat(1000)}`,
    headers: FORM,
    path: 'body',
    message: FIELDS,
  },
  {
    name: '1,001 parts of multipart',
    url: '/momo/echo',
    body: parts(1001),
    headers: MULTIPART,
    path: 'body',
    message: FIELDS,
  },
  {
    name: '101 levels of JSON for a handler',
    url: '/momo/echo',
    body: levels(101),
    headers: {},
    path: 'body',
    message: LEVELS,
  },
  {
    name: 'unclosed levels',
    url: '/momo/checked',
    body: '{"a":'.repeat(20_000),
    headers: {},
    path: 'body',
    message: LEVELS,
  },
])('a request with $name is refused', async ({ url, body, headers, path, message }) => {
  const response = await post(url, body, headers);
  expect(response).toMatchObject({ status: 400, json: { problems: [{ path, message }] } });
  const hint = expect.stringContaining(`${path} ${message}`);
  expect(await mock().requests()).toMatchObject([
    { status: 400, reason: 'request-rejected', hint },
  ]);
});

it.each([
  { name: '1 MiB for a handler', path: '/momo/echo', most: 1_048_576, words: '1,024 KiB' },
  { name: '128 KiB for a request schema', path: '/momo/checked', most: 131_072, words: '128 KiB' },
])('a body may have $name, and not more', async ({ path, most, words }) => {
  const text = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;
  expect((await post(path, text(most))).status).toBe(200);
  expect((await post(path, text(most + 1))).status).toBe(413);
  const hint = expect.stringContaining(`(the body is too long: at most ${words})`);
  expect((await mock().requests())[1]).toMatchObject({ reason: 'request-rejected', hint });
});

it('a handler gets 1,000 fields, 100 levels, and any number of brackets in text', async () => {
  const form = await post(`/momo/echo?${'a=1&'.repeat(998)}b=2`, `b=0${'&a=1'.repeat(999)}`, FORM);
  expect(form.json).toEqual({
    query: { a: Array(998).fill('1'), b: '2' },
    body: { a: Array(999).fill('1'), b: '0' },
  });
  const multipart = await post('/momo/echo', parts(1000), MULTIPART);
  expect(multipart.json).toEqual({ query: {}, body: { a: Array(1000).fill('1') } });
  const text = JSON.stringify({ text: `"\\"${'['.repeat(200)}` });
  for (const body of [levels(100), `[${Array(200).fill('[]')}]`, text]) {
    expect((await post('/momo/echo', body)).json).toEqual({ query: {}, body: JSON.parse(body) });
  }
});

it('a body that nothing reads may contain anything, and is shown', async () => {
  const bodies = [levels(30_000), 'secret&'.repeat(9000), '<a>'.repeat(20_000)];
  for (const body of bodies) expect((await post('/momo/plain', body, FORM)).status).toBe(200);
  const shown = (await mock().requests()).map(({ body }) => body.length);
  expect(shown).toEqual(bodies.map(({ length }) => Math.min(length, 65_536)));
});

it('the first 1,000 fields of a query are shown, and the secrets of all are redacted', async () => {
  const query = `${'n=1&'.repeat(1000)}extra=1&token=canary-5ecret`;
  await post(`/momo/plain?${query}`, 'see canary-5ecret');
  const [entry] = await mock().requests();
  expect(entry).toMatchObject({ query: { n: { length: 1000 } }, body: 'see [redacted]' });
  expect(JSON.stringify(entry)).not.toMatch(/extra|canary/);
});

describe('a request schema', () => {
  const problems = async (schema: object, body: unknown) => {
    const mock = await startMock({
      'momo/pay.post.json': [],
      'momo/pay.post.request.schema.json': { properties: { body: schema } },
      'errors/400.js': 'export default ({ problems }) => ({ body: problems });',
    });
    return (await ask(mock, '/momo/pay', { method: 'POST', body })).json as object[];
  };
  const numbers = { items: { type: 'number' } };
  const unique = { type: 'array', uniqueItems: true };
  const objects = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ id, text: 'x'.repeat(50) }));

  it('reports the first 20 problems of a body, and only the first problem of a body over 4 KiB', async () => {
    const found = await problems(numbers, Array(30).fill('x'));
    expect(found).toHaveLength(20);
    expect(found[19]).toEqual({ path: 'body[19]', message: 'must be number' });
    expect(await problems(numbers, Array(1024).fill('x'))).toHaveLength(1);
  });

  it('compares 100 items with each other in a body over 4 KiB, and any number in a shorter one', async () => {
    expect(await problems(unique, objects(100))).toEqual([]);
    const message = 'must NOT have more than 100 items';
    expect(await problems(unique, objects(101))).toEqual([{ path: 'body', message }]);
    expect(await problems(unique, [...Array(600).keys()])).toEqual([]);
  });
});
