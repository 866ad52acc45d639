import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { serviceAppOf, shippedTree } from './service-app.ts';

let ask: Awaited<ReturnType<typeof serviceAppOf>>['ask'];
const get = (target: string, options = {}) => ask('GET', target, options);
let balance: string;
const errors: Record<string, string> = {};

beforeAll(async () => {
  ({ ask } = await serviceAppOf(await shippedTree(), { keys: ['good', 'p+l/us='] }));
  balance = (await readFile('fixtures/momo/balance.get.json', 'utf8')).trimEnd();
  for (const status of ['401', '404', '405']) {
    errors[status] = (await readFile(`fixtures/errors/${status}.json`, 'utf8')).trimEnd();
  }
});

describe('a good key', () => {
  test('gets the bytes of the fixture', async () => {
    const { status, headers, body } = await get('/momo/balance?apikey=good');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['content-length']).toBe(String(Buffer.byteLength(balance)));
    expect(body).toBe(balance);
  });

  test.each([
    ['a slash at the end', '/momo/balance/?apikey=good'],
    ['another letter case', '/MoMo/BALANCE?apikey=good'],
    ['extra parameters before and behind', '/momo/balance?a=1&apikey=good&b[]=2&currency=XOF'],
    ['the key percent-encoded', '/momo/balance?apikey=%67%6F%6f%64'],
    ['a key with characters that must be encoded', '/momo/balance?apikey=p%2Bl%2Fus%3D'],
    ['the whole URL as the target', 'https://example.com/momo/balance?apikey=good'],
  ])('%s', async (_name, target) => {
    expect(await get(target)).toMatchObject({ status: 200, body: balance });
  });

  test('a body and a content type change nothing', async () => {
    for (const type of ['application/json', 'text/plain', 'nonsense', 'multipart/form-data']) {
      const options = { headers: { 'content-type': type }, payload: '{"broken"' };
      expect(await get('/momo/balance?apikey=good', options)).toMatchObject({ status: 200 });
    }
  });

  test('no answer is compressed, whatever the client accepts', async () => {
    const options = { headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } };
    for (const target of ['/momo/balance?apikey=good', '/momo/balance', '/x?apikey=good']) {
      const plain = await get(target);
      const { status, headers, body } = await get(target, options);
      expect({ status, body }).toEqual({ status: plain.status, body: plain.body });
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers['content-length']).toBe(plain.headers['content-length']);
    }
  });

  test('HEAD is answered as GET is, without the body', async () => {
    const got = await get('/momo/balance?apikey=good');
    const { status, headers, body } = await ask('HEAD', '/momo/balance?apikey=good');
    expect({ status, body }).toEqual({ status: 200, body: '' });
    expect({ ...headers, date: '' }).toEqual({ ...got.headers, date: '' });
  });

  test('an unknown path is 404, and its body says nothing of the URL', async () => {
    for (const path of ['/', '/momo', '/momo/nothing', '/errors/401']) {
      expect(await get(`${path}?apikey=good`)).toMatchObject({
        status: 404,
        body: errors['404'],
      });
    }
  });
});

describe('without a good key', () => {
  test.each([
    ['no key', '/momo/balance'],
    ['an empty one', '/momo/balance?apikey='],
    ['a wrong one', '/momo/balance?apikey=wrong'],
    ['the same twice', '/momo/balance?apikey=good&apikey=good'],
    ['a good and a wrong one', '/momo/balance?apikey=good&apikey=wrong'],
    ['a list', '/momo/balance?apikey[]=good'],
    ['another letter case', '/momo/balance?apiKey=good'],
    ['an unknown path', '/nothing'],
    ['an unknown path with a wrong key', '/nothing?apikey=wrong'],
    ['the root', '/'],
  ])('%s is 401', async (_name, target) => {
    const { status, headers, body } = await get(target);
    expect({ status, body }).toEqual({ status: 401, body: errors['401'] });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body)).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test.each(['apikey', 'x-api-key', 'authorization'])(
    'a key in the header %s is 401',
    async (name) => {
      const headers = { [name]: 'good' };
      expect(await get('/momo/balance', { headers })).toMatchObject({ status: 401 });
    },
  );

  test('another method is 401, not 405', async () => {
    expect(await ask('POST', '/momo/balance')).toMatchObject({ status: 401 });
    expect(await ask('OPTIONS', '/momo/balance')).toMatchObject({ status: 401 });
  });
});
