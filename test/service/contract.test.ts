import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { sendOverTls } from '../raw-connection.ts';
import { type RunningMock, runMock } from '../running-mock.ts';

let mock: RunningMock;
let balance: string;
const errors: Record<string, string> = {};

beforeAll(async () => {
  mock = await runMock({ API_KEYS: 'good,p+l/us=' }, { own: true });
  balance = (await readFile('fixtures/momo/balance.get.json', 'utf8')).trimEnd();
  for (const status of ['400', '401', '404', '405', '431']) {
    errors[status] = (await readFile(`fixtures/errors/${status}.json`, 'utf8')).trimEnd();
  }
  return () => mock.close();
});

describe('a good key', () => {
  test('gets the bytes of the fixture', async () => {
    const { status, headers, body } = await mock.get('/momo/balance?apikey=good');
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
    expect(await mock.get(target)).toMatchObject({ status: 200, body: balance });
  });

  test('a body and a content type change nothing, however broken the body is', async () => {
    for (const type of ['application/json', 'text/plain', 'nonsense', 'multipart/form-data']) {
      const options = { headers: { 'content-type': type, 'content-length': 9 }, body: '{"broken"' };
      expect(await mock.get('/momo/balance?apikey=good', options)).toMatchObject({ status: 200 });
    }
  });

  test('Connection: close, and HTTP/1.0 without and with a host', async () => {
    for (const head of [
      'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: close',
      'GET /momo/balance?apikey=good HTTP/1.0',
      'GET /momo/balance?apikey=good HTTP/1.0\r\nHost: x',
    ]) {
      const reply = await sendOverTls(mock, `${head}\r\n\r\n`);
      expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(reply).toMatch(/\r\nconnection: close\r\n/i);
      expect(reply.endsWith(`\r\n\r\n${balance}`)).toBe(true);
    }
  });

  test('HEAD is answered as GET is, without the body', async () => {
    const got = await mock.get('/momo/balance?apikey=good');
    const { status, headers, body } = await mock.get('/momo/balance?apikey=good', {
      method: 'HEAD',
    });
    expect({ status, body }).toEqual({ status: 200, body: '' });
    expect({ ...headers, date: '' }).toEqual({ ...got.headers, date: '' });
  });

  test('an unknown path is 404, and its body says nothing of the URL', async () => {
    for (const path of ['/', '/momo', '/momo/nothing', '/momo/../momo/balance', '/errors/401']) {
      expect(await mock.get(`${path}?apikey=good`)).toMatchObject({
        status: 404,
        body: errors['404'],
      });
    }
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])(
    '%s on a known path is 405 and says what is allowed',
    async (method) => {
      const reply = await sendOverTls(
        mock,
        `${method} /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      // A method that Node's parser does not know is no valid request for it.
      if (method === 'QUERY' && /^HTTP\/1\.1 400 /.test(reply)) return;
      expect(reply).toMatch(/^HTTP\/1\.1 405 /);
      expect(reply).toMatch(/\r\nallow: GET, HEAD\r\n/);
      expect(reply.endsWith(errors['405'] ?? '')).toBe(true);
    },
  );
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
    const { status, headers, body } = await mock.get(target);
    expect({ status, body }).toEqual({ status: 401, body: errors['401'] });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body)).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test.each(['apikey', 'x-api-key', 'authorization'])(
    'a key in the header %s is 401',
    async (name) => {
      const headers = { [name]: 'good' };
      expect(await mock.get('/momo/balance', { headers })).toMatchObject({ status: 401 });
    },
  );

  test('another method is 401, not 405', async () => {
    expect(await mock.get('/momo/balance', { method: 'POST' })).toMatchObject({ status: 401 });
    expect(await mock.get('/momo/balance', { method: 'OPTIONS' })).toMatchObject({ status: 401 });
  });
});
