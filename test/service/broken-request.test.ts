import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { sendOverTls } from '../support/raw-connection.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';

let mock: RunningMock;

beforeAll(async () => {
  mock = await runMock({}, { own: true });
  return () => mock.close();
});

const body = (status: number) => readFileSync(`fixtures/errors/${status}.json`, 'utf8').trimEnd();

const GOOD = 'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const statusesOf = (reply: string) => reply.match(/HTTP\/1\.1 \d{3}/g)?.map((it) => it.slice(9));

describe('a request that cannot be understood', () => {
  test.each([
    ['a broken percent escape in the path', 'GET /momo/%zz?apikey=good HTTP/1.1\r\nHost: x'],
    ['one in the query', 'GET /momo/balance?apikey=%g HTTP/1.1\r\nHost: x'],
    ['a percent-encoded NUL', 'GET /momo/%00?apikey=good HTTP/1.1\r\nHost: x'],
  ])('%s is 400, and the next request on its connection is served', async (_name, head) => {
    const reply = await sendOverTls(mock, `${head}\r\n\r\n${GOOD}`);
    expect(statusesOf(reply)).toEqual(['400', '200']);
    expect(reply).toContain(`\r\n\r\n${body(400)}HTTP/1.1 200 OK\r\n`);
  });

  test.each([
    ['a NUL', 'GET /momo/\0?apikey=good HTTP/1.1\r\nHost: x', 400],
    ['no path', 'GET momo HTTP/1.1\r\nHost: x', 400],
    [
      'a URL of 20 KB',
      `GET /momo/balance?apikey=good&x=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x`,
      431,
    ],
    ['headers of 20 KB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}`, 431],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nbroken', 400],
    ['a header name with a space', 'GET / HTTP/1.1\r\nHost: x\r\nbro ken: 1', 400],
    ['no host', 'GET /momo/balance?apikey=good HTTP/1.1', 400],
    [
      'two content lengths',
      'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2',
      400,
    ],
    ['an unknown method', 'FROBNICATE / HTTP/1.1\r\nHost: x', 400],
    ['no HTTP at all', 'hello', 400],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x', 400],
  ])('%s is answered, and its connection closed', async (_name, head, status) => {
    // Nobody can tell where the next request begins, so what follows gets no answer.
    const reply = await sendOverTls(mock, `${head}\r\n\r\n${GOOD}`);
    expect(statusesOf(reply)).toEqual([String(status)]);
    expect(reply).toMatch(/\r\nconnection: close\r\n/i);
    expect(reply).toMatch(/\r\ncontent-type: application\/json; charset=utf-8\r\n/);
    expect(reply.endsWith(`\r\n\r\n${body(status)}`)).toBe(true);
  });

  test.each([
    [400, 'hello\r\n\r\n'],
    [408, 'GET /momo/balance HTTP/1.1\r\nHost:'],
    [431, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
  ])('that never became one is %i without the headers of CORS', async (status, bytes) => {
    const impatient = await runMock({ CLIENT_TIMEOUT: '1000' });
    const reply = await sendOverTls(impatient, bytes);
    expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(reply).not.toMatch(/\r\naccess-control-/i);
  });

  test('the next connection is served as before', async () => {
    await sendOverTls(mock, 'nonsense\r\n\r\n');
    expect(await mock.get('/momo/balance?apikey=good')).toMatchObject({ status: 200 });
  });

  test.each([
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['an unknown coding', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0'],
    ['a broken chunk', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n'],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s behind good requests is answered behind them', async (_what, broken) => {
    const good = 'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\n\r\n';
    await mock.controller.script('good', { status: 503, delay: 50 }, 'replace');
    const reply = await sendOverTls(mock, good + good + broken);
    expect(statusesOf(reply)).toEqual(['503', '200', '400']);
    expect(reply.endsWith(body(400))).toBe(true);
  });

  test.each(['Expect: 200-ok', 'Upgrade: websocket'])(
    '%s is as good as not said',
    async (header) => {
      const head = `GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\n${header}`;
      const reply = await sendOverTls(mock, `${head}\r\nConnection: Upgrade, close\r\n\r\n`);
      expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    },
  );
});
