import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ask, send } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';

const SHOWN = 'export default ({ path, params, query }) => ({ body: { path, params, query } });';
const FILES = {
  'momo/balance.post.json': { by: 'POST /momo/balance' },
  'momo/status/[reference].get.js': SHOWN,
  'momo/status/latest.get.json': { by: 'GET /momo/status/latest' },
  'momo/[kind]/deep/end.get.json': { by: 'GET /momo/:kind/deep/end' },
  'a/[x].get.json': { by: 'GET /a/:x' },
  'a/b.post.json': { by: 'POST /a/b' },
  'p/[x]/b.get.js': SHOWN,
  'p/[__proto__]/c.get.js': SHOWN,
  'Caps/File.txt.get.json': { by: 'GET /Caps/File.txt' },
};
const mock = sharedMock(FILES);

describe('a path', () => {
  it.each([
    ['/momo/balance', 'GET /momo/balance'],
    ['/momo/balance/', 'GET /momo/balance'],
    ['/MOMO/Balance', 'GET /momo/balance'],
    ['/%6Domo/b%61lance', 'GET /momo/balance'],
    ['/caps/file.txt', 'GET /Caps/File.txt'],
    ['/momo/status/4711', 'GET /momo/status/:reference'],
    [`/momo/status/${'x'.repeat(5000)}`, 'GET /momo/status/:reference'],
    ['/momo/status/latest', 'GET /momo/status/latest'],
    ['/momo/status/deep', 'GET /momo/status/:reference'],
    ['/momo/status/deep/end', 'GET /momo/:kind/deep/end'],
    ['/a/b', 'GET /a/:x'],
    ['/p/1/b', 'GET /p/:x/b'],
    ['/p/1/c', 'GET /p/:__proto__/c'],
  ])('%s reaches %s', async (path, operation) => {
    expect((await ask(mock(), path)).status).toBe(200);
    expect(await mock().requests()).toMatchObject([{ operation }]);
  });

  it.each([
    ...['/', '/momo', '/momo/balance//', '/momo//balance', '//momo/balance', '/momo/balance/x'],
    ...['/momo%2Fbalance', '/momo/status/', '/momo/status', '/momo//deep/end', '/constructor'],
    ...['/__proto__', '/*', '/:', '/momo/./balance', '/a/../momo/balance'],
  ])('%s is unknown', async (path) => {
    expect((await send(mock(), `${path}?apikey=${mock().apiKey}`)).status).toBe(404);
    const unknown = { reason: 'unknown-path', operation: null };
    expect(await mock().requests()).toMatchObject([unknown]);
  });

  it.each(['/%', '/%zz', '/%4', '/x?a=%', '/x?a=%g1', '/%00', '/x%00y?apikey=good', '/%ff', '*'])(
    '%s is a broken URL, with or without a key',
    async (target) => {
      const response = await send(mock(), target);
      expect(response).toMatchObject({
        status: 400,
        headers: { 'access-control-allow-origin': '*' },
      });
      const bad = { reason: 'bad-url', path: null, query: {} };
      expect(await mock().requests()).toMatchObject([bad]);
    },
  );

  it.each([
    ['a%20b', 'a b'],
    ['a%2Fb', 'a/b'],
    ['%C3%A9', 'é'],
    ['a+b', 'a+b'],
    ['%0A', '\n'],
    ['*', '*'],
    [':id', ':id'],
    ['%C4%B0', 'İ'],
  ])('with the segment %s has the parameter %j', async (text, reference) => {
    const { json } = await ask(mock(), `/momo/status/${text}`);
    expect(json).toMatchObject({ params: { reference } });
  });

  it.each([
    ['a=1&a=2&b', { a: ['1', '2'], b: '' }],
    ['%61=%62+c', { a: 'b c' }],
    ['a=b?c=d', { a: 'b?c=d' }],
    ['u=https://host/y', { u: 'https://host/y' }],
    ['a=%00', { a: '\0' }],
  ])('with ?%s has the query %j', async (text, query) => {
    const target = `/momo/status/1?${text}&apikey=${mock().apiKey}`;
    expect((await send(mock(), target)).json).toMatchObject({ query });
  });

  it.each(['https://host:1', 'HTTP://host', 'https://momo/balance'])(
    'is found in an absolute URL of %s',
    async (origin) => {
      const { status } = await send(mock(), `${origin}/momo/balance?apikey=${mock().apiKey}`);
      expect(status).toBe(origin.endsWith('balance') ? 404 : 200);
    },
  );
});

it.each([
  [false, 200],
  [true, 404],
])(
  'a trailing slash and another letter case with strictPaths %s get a %i',
  async (strict, status) => {
    const files = { 'momo/Fees/[Name].get.json': { fee: 1 } };
    const own = await startMock(files, { strictPaths: strict });
    for (const path of ['/momo/balance', '/momo/Fees/Any']) {
      expect((await ask(own, path)).status).toBe(200);
    }
    for (const path of ['/momo/balance/', '/Momo/BALANCE', '/momo/fees/Any', '/momo/Fees/Any/']) {
      expect([path, (await ask(own, path)).status]).toEqual([path, status]);
    }
  },
);

it('files that differ only in letter case are one operation, unless paths are strict', async () => {
  const files = { 'momo/fees.get.json': { fee: 1 }, 'momo/Fees.get.json': { fee: 2 } };
  await expect(startMock(files)).rejects.toThrow('momo/');
  const own = await startMock(files, { strictPaths: true });
  expect((await ask(own, '/momo/fees')).json).toEqual({ fee: 1 });
  expect((await ask(own, '/momo/Fees')).json).toEqual({ fee: 2 });
  const replaced = await startMock({ 'MoMo/Balance.get.json': '"mine"' });
  expect((await ask(replaced)).text).toBe('"mine"');
});

const NAMES = [
  'é b',
  'a+b',
  'a@b',
  "a,b;c=d&e$f'(g)!~",
  '{x}|^`"<>',
  '日本',
  'a#b',
  'a?b',
  'a%b',
  'a:b',
  ':a',
  '100%',
  'İ',
  '😀',
  'a\\b',
  '*',
];

it.each([false, true])(
  'a name of any characters is found in any encoding, with strictPaths %s',
  async (strict) => {
    const files = Object.fromEntries(NAMES.map((name) => [`momo/${name}.get.json`, { name }]));
    const own = await startMock(files, { strictPaths: strict });
    for (const name of NAMES) {
      const everyByte = [...Buffer.from(name)].map(
        (byte) => `%${byte.toString(16).padStart(2, '0')}`,
      );
      // Where a request line can hold it as it is.
      const bare = /[^!-~]|[#?%]/.test(name) ? [] : [name];
      for (const text of [encodeURIComponent(name), everyByte.join(''), ...bare]) {
        const found = await send(own, `/momo/${text}?apikey=${own.apiKey}`);
        expect([text, found.json]).toEqual([text, { name }]);
        expect((await send(own, `/momo/x${text}?apikey=${own.apiKey}`)).status).toBe(404);
      }
    }
  },
);

describe('a method', () => {
  const OTHERS = METHODS.filter((name) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(name));

  it('that the path does not have gets a 405 with the allowed methods', async () => {
    for (const method of OTHERS) {
      const response = await ask(mock(), '/Momo/Balance/', { method });
      expect([method, response.status, response.headers.allow]).toEqual([
        method,
        405,
        'GET, HEAD, POST',
      ]);
    }
    const response = await ask(mock(), '/momo/status/4711', { method: 'DELETE' });
    expect([response.status, response.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect((await ask(mock(), '/a/b', { method: 'PUT' })).headers.allow).toContain('POST');
  });

  it('reaches its operation with any body and content type', async () => {
    const methods = ['GET', 'POST', ...OTHERS];
    const own = await startMock(
      Object.fromEntries(methods.map((name) => [`x.${name.toLowerCase()}.json`, { by: name }])),
    );
    for (const method of methods) {
      expect((await ask(own, '/x', { method })).json).toEqual({ by: method });
      const headers = { 'content-type': 'nonsense' };
      expect((await ask(own, '/x', { method, headers, body: '{"broken' })).status).toBe(200);
    }
  });

  it.each([
    [{}, undefined],
    [{ status: 204 }, undefined],
    [{ status: 304 }, undefined],
    [{ body: '' }, '0'],
    [{ status: 418, body: '' }, '0'],
    [{ status: 503, body: 'é' }, '2'],
  ])(
    'HEAD gets the headers of GET without the body for %j, and uses up a scripted response',
    async (script, length) => {
      const scripted = { operation: 'GET /momo/balance', ...script } as const;
      await mock().respondWith([scripted, scripted, { status: 500 }]);
      const [get, head] = [
        await ask(mock()),
        await ask(mock(), '/momo/balance', { method: 'HEAD' }),
      ];
      expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
      expect([head.status, head.text]).toEqual([get.status, '']);
      if (Object.keys(script).length > 0) expect(head.headers['content-length']).toBe(length);
      const last = (await mock().requests()).at(-1);
      expect(last).toMatchObject({ method: 'HEAD', operation: 'GET /momo/balance' });
      expect((await ask(mock())).status).toBe(500);
    },
  );
});
