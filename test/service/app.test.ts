import { METHODS } from 'node:http';
import { describe, expect, test } from 'vitest';
import { readScript } from '../../src/mock/scripted-response.ts';
import { entriesOf } from '../mock/journal/entries-of.ts';
import { serviceAppOf, treeOf } from './service-app.ts';

const TREE = treeOf(
  'GET /momo/balance',
  'POST /momo/balance',
  'GET /momo/status/[reference]',
  'GET /momo/status/latest',
  'GET /momo/[kind]/deep/end',
  'GET /Caps/File.txt',
);

test('every operation is a route of the application', async () => {
  const { app } = await serviceAppOf(treeOf('GET /momo/balance', 'PUT /momo/limits'));
  expect(app.printRoutes({ commonPrefix: false })).toBe(
    '├── /momo/balance (GET, HEAD)\n└── /momo/limits (PUT)\n',
  );
});

describe('a path', () => {
  test.each([
    ['/momo/balance', 'GET /momo/balance'],
    ['/momo/balance/', 'GET /momo/balance'],
    ['/MOMO/Balance', 'GET /momo/balance'],
    ['/caps/file.txt', 'GET /Caps/File.txt'],
    ['/momo/status/4711', 'GET /momo/status/:reference'],
    ['/momo/status/a%20b', 'GET /momo/status/:reference'],
    ['/momo/status/a%2Fb', 'GET /momo/status/:reference'],
    [`/momo/status/${'x'.repeat(5000)}`, 'GET /momo/status/:reference'],
    ['/momo/status/latest', 'GET /momo/status/latest'],
    ['/momo/status/deep', 'GET /momo/status/:reference'],
    ['/momo/status/deep/end', 'GET /momo/:kind/deep/end'],
    ['/%6Domo/b%61lance', 'GET /momo/balance'],
  ])('%s is answered by %s', async (path, operation) => {
    const { ask } = await serviceAppOf(TREE);
    expect(await ask('GET', `${path}?apikey=good`)).toMatchObject({ status: 200, body: operation });
  });

  test.each([
    '/',
    '/momo',
    '/momo/balance//',
    '/momo//balance',
    '//momo/balance',
    '/momo/balance/x',
    '/momo%2Fbalance',
    '/momo/status/',
    '/momo/status',
    '/momo//deep/end',
    '/constructor',
    '/__proto__',
    '/*',
    '/:',
  ])('%s is unknown', async (path) => {
    const { ask, mock } = await serviceAppOf(TREE);
    expect(await ask('GET', `${path}?apikey=good`)).toMatchObject({ status: 404, body: 'e404' });
    expect(await entriesOf(mock.journal)).toMatchObject([
      { reason: 'unknown-path', operation: null },
    ]);
  });

  test('with strict paths: no slash at the end, and its letter case', async () => {
    const { ask } = await serviceAppOf(TREE, { strictPaths: true });
    const statuses = ['/momo/balance/', '/momo/status/', '/Momo/balance', '/caps/file.txt'].map(
      async (path) => (await ask('GET', `${path}?apikey=good`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 404, 404, 404]);
    expect(await ask('GET', '/Caps/File.txt?apikey=good')).toMatchObject({ status: 200 });
  });

  test.each(['/%', '/%zz', '/%4', '/x?a=%', '/x?a=%g1', '/%00', '/x%00y?apikey=good', '/%ff'])(
    '%s is a bad URL, with or without a key',
    async (url) => {
      const { ask, mock } = await serviceAppOf(TREE);
      const reply = await ask('GET', url);
      expect(reply).toMatchObject({ status: 400, body: 'e400' });
      expect(reply.headers['access-control-allow-origin']).toBe('*');
      expect(await entriesOf(mock.journal)).toMatchObject([
        { reason: 'bad-url', path: null, query: {} },
      ]);
    },
  );
});

test.each([
  '/momo/balance?apikey=good%00',
  '/momo/balance?apikey=%00',
  '/momo/balance?apikey=go%00od',
])('a NUL in the query is part of a wrong key: %s', async (url) => {
  const { ask, mock } = await serviceAppOf(TREE);
  expect(await ask('GET', url)).toMatchObject({ status: 401, body: 'e401' });
  expect(await entriesOf(mock.journal)).toMatchObject([{ reason: 'key-unknown' }]);
});

describe.each([
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
])('a name that holds %s', (text) => {
  // Where a request line can hold it as it is.
  const bare = /[^!-~]|[#?%]/.test(text) ? [] : [text];
  test.each([encodeURIComponent(text), everyByte(text), ...bare])('is found as %s', async (url) => {
    for (const strictPaths of [false, true]) {
      const { ask } = await serviceAppOf(treeOf(`GET /momo/${text}`), { strictPaths });
      expect(await ask('GET', `/momo/${url}?apikey=good`)).toMatchObject({ status: 200 });
      expect(await ask('GET', `/momo/x${url}?apikey=good`)).toMatchObject({ status: 404 });
    }
  });
});

function everyByte(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

describe('a method', () => {
  test('that the path does not have is 405 and lists the others', async () => {
    const { ask } = await serviceAppOf(TREE);
    for (const method of METHODS.filter(
      (name) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(name),
    )) {
      const reply = await ask(method, '/Momo/Balance/?apikey=good');
      expect(reply, method).toMatchObject({ status: 405, body: 'e405' });
      expect(reply.headers.allow).toBe('GET, HEAD, POST');
    }
    const reply = await ask('DELETE', '/momo/status/4711?apikey=good');
    expect(reply.headers.allow).toBe('GET, HEAD');
  });

  test.each(METHODS.filter((name) => !['HEAD', 'CONNECT'].includes(name)))(
    '%s has its operation by its file, whatever body and type come with it',
    async (method) => {
      const { ask } = await serviceAppOf(treeOf(`${method} /momo/x`));
      const plain = await ask(method, '/momo/x?apikey=good');
      expect(plain).toMatchObject({ status: 200, body: `${method} /momo/x` });
      for (const type of ['application/json', 'nonsense', '']) {
        const more = { headers: { 'content-type': type }, payload: '{"broken' };
        expect(await ask(method, '/momo/x?apikey=good', more)).toMatchObject({ status: 200 });
      }
    },
  );

  test.each([
    [{ status: 204 }, undefined],
    [{ status: 304 }, undefined],
    [{ body: '' }, '0'],
    [{ status: 418, body: '' }, '0'],
    [{ status: 503, body: 'é' }, '2'],
  ])('HEAD of %j has the headers of GET: its length is %s', async (script, length) => {
    const { ask, mock } = await serviceAppOf(TREE);
    mock.service.scripts = [readScript({ ...script, times: 2 })];
    const [get, head] = [
      await ask('GET', '/momo/balance?apikey=good'),
      await ask('HEAD', '/momo/balance?apikey=good'),
    ];
    expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
    expect(head.headers['content-length']).toBe(length);
  });

  test('HEAD is GET without the body, and uses up what is scripted for it', async () => {
    const { ask, mock } = await serviceAppOf(TREE);
    const { headers } = await ask('GET', '/momo/balance?apikey=good');
    const head = await ask('HEAD', '/momo/balance?apikey=good');
    expect(head).toMatchObject({ status: 200, body: '' });
    expect({ ...head.headers, date: '' }).toEqual({ ...headers, date: '' });
    expect((await entriesOf(mock.journal))[1]).toMatchObject({
      method: 'HEAD',
      operation: 'GET /momo/balance',
    });
  });
});

test('an answer without a content type gets none', async () => {
  const { ask } = await serviceAppOf(treeOf('GET /momo/balance'));
  const { headers } = await ask('GET', '/momo/balance?apikey=good');
  expect(headers['content-type']).toBeUndefined();
  expect(headers['content-length']).toBe('17');
});

test('nothing that Fastify itself sees of a request holds its query', async () => {
  const { app, ask } = await serviceAppOf(TREE);
  const seen: unknown[] = [];
  const { findRoute } = app;
  app.findRoute = (options) => {
    seen.push(options.url);
    return findRoute.call(app, options);
  };
  await ask('PUT', '/momo/balance?apikey=good&x=1');
  expect(seen).toEqual(['/momo/balance', '/momo/balance']);
});
