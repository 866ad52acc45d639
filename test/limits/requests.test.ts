import { describe, expect, it } from 'vitest';
import { ask, type Sent } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import type { StartOptions } from '../support/momo-mock.ts';

const ECHO = 'export default ({ query, body }) => ({ body: { query, body } });';
const FILES = {
  'momo/echo.post.js': ECHO,
  'momo/text.post.js': 'export default ({ body }) => ({ body: JSON.stringify(body) });',
  'momo/checked.post.json': { ok: true },
  'momo/checked.post.request.schema.json': { type: 'object' },
  'momo/plain.post.json': { ok: true },
  'errors/400.js': 'export default ({ problems }) => ({ body: { problems } });',
};
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const levels = (count: number) => '['.repeat(count) + ']'.repeat(count);

const start = (options?: StartOptions) => startMock(FILES, options);
const post = (body: string, headers: Sent['headers'] = {}): Sent => {
  return { method: 'POST', body, headers };
};

describe('a request that exceeds a limit is refused with its place', () => {
  it.each<[what: string, path: string, sent: Sent, problem: object]>([
    [
      '1,001 fields of the query',
      // The key is one of them.
      `/momo/echo?${'a=1&'.repeat(1000)}`,
      post(''),
      { path: 'query', message: 'must have at most 1000 fields' },
    ],
    [
      '1,001 fields of a form',
      '/momo/echo',
      post(`a=1${'&a=1'.repeat(1000)}`, FORM),
      { path: 'body', message: 'must have at most 1000 fields' },
    ],
    [
      '101 levels of JSON for a handler',
      '/momo/echo',
      post(levels(101)),
      { path: 'body', message: 'must have at most 100 levels of lists and objects' },
    ],
    [
      '20,000 levels that are not closed',
      '/momo/checked',
      post('{"a":'.repeat(20_000)),
      { path: 'body', message: 'must have at most 100 levels of lists and objects' },
    ],
  ])('%s', async (_what, path, sent, problem) => {
    const mock = await start();
    const reply = await ask(mock, path, sent);
    expect(reply).toMatchObject({ status: 400, text: JSON.stringify({ problems: [problem] }) });
    const [entry] = await mock.requests();
    expect(entry).toMatchObject({
      status: 400,
      reason: 'request-rejected',
      hint: expect.stringContaining(Object.values(problem).join(' ')),
    });
  });

  it.each([
    ['1 MiB for a handler', '/momo/echo', 1_048_576, '1,024 KiB'],
    ['128 KiB for a request schema', '/momo/checked', 131_072, '128 KiB'],
  ])('a body over %s', async (_what, path, most, words) => {
    const mock = await start();
    const text = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;
    expect((await ask(mock, path, post(text(most)))).status).toBe(200);
    const longer = await ask(mock, path, post(text(most + 1)));
    expect(longer.status).toBe(413);
    expect((await mock.requests()).at(-1)).toMatchObject({
      reason: 'request-rejected',
      hint: expect.stringContaining(`(the body is too long: at most ${words})`),
    });
  });
});

describe('a request within the limits', () => {
  it('gets 1,000 fields, the repeated ones as a list', async () => {
    const mock = await start();
    const body = `b=0${'&a=1'.repeat(999)}`;
    const reply = await ask(mock, `/momo/echo?${'a=1&'.repeat(998)}b=2`, post(body, FORM));
    const echoed = JSON.parse(reply.text);
    expect(echoed.query).toEqual({ a: Array(998).fill('1'), b: '2' });
    expect(echoed.body).toEqual({ a: Array(999).fill('1'), b: '0' });
  });

  it('gets 100 levels, and any number of brackets in a text', async () => {
    const mock = await start();
    const text = JSON.stringify({ text: `"\\"${'['.repeat(200)}` });
    for (const body of [levels(100), `[${Array(200).fill('[]')}]`, text]) {
      const reply = await ask(mock, '/momo/text', post(body));
      expect(JSON.parse(reply.text)).toEqual(JSON.parse(body));
    }
  });
});

it('answers a body that nothing reads, whatever it is, and shows it', async () => {
  const mock = await start();
  const bodies = [levels(30_000), 'secret&'.repeat(9000), '<a>'.repeat(20_000)];
  for (const body of bodies) {
    expect((await ask(mock, '/momo/plain', post(body, FORM))).status).toBe(200);
  }
  expect((await mock.requests()).map(({ body }) => body.length)).toEqual(
    bodies.map(({ length }) => Math.min(length, 65_536)),
  );
});

describe('a request schema', () => {
  const checked = (schema: object) =>
    startMock({
      'momo/pay.post.json': { ok: true },
      'momo/pay.post.request.schema.json': { properties: { body: schema } },
      'errors/400.js': 'export default ({ problems }) => ({ body: problems });',
    });
  const problems = async (schema: object, body: unknown): Promise<object[]> => {
    const mock = await checked(schema);
    const { text } = await ask(mock, '/momo/pay', { method: 'POST', body });
    return JSON.parse(text);
  };
  const numbers = { items: { type: 'number' } };

  it('reports the first 20 problems of a body', async () => {
    const found = await problems(numbers, Array(30).fill('x'));
    expect(found).toHaveLength(20);
    expect(found[19]).toEqual({ path: 'body[19]', message: 'must be number' });
  });

  it('reports the first problem of a body over 4 KiB', async () => {
    const long = Array(4096 / 4).fill('x');
    expect(await problems(numbers, long)).toEqual([{ path: 'body[0]', message: 'must be number' }]);
  });

  it('compares 100 items with one another in a body over 4 KiB, and any in a shorter one', async () => {
    const unique = { type: 'array', uniqueItems: true };
    const text = 'x'.repeat(50);
    const objects = (count: number) => Array.from({ length: count }, (_, id) => ({ id, text }));
    expect(await problems(unique, objects(100))).toMatchObject({ ok: true });
    expect(await problems(unique, objects(101))).toEqual([
      { path: 'body', message: 'must NOT have more than 100 items' },
    ]);
    const short = Array.from({ length: 600 }, (_, id) => id);
    expect(await problems(unique, short)).toMatchObject({ ok: true });
  });
});
