import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { sharedMock } from '../support/mock.ts';
import { openConnection, statusesIn } from '../support/raw-connection.ts';

const mock = sharedMock();

// Whatever it was, the next connection is served as before.
afterEach(async () => expect(await ask(mock())).toMatchObject({ status: 200 }));

/** Sends bytes, and gives all that comes back until the mock ends the connection. */
async function replyTo(bytes: string): Promise<string> {
  const socket = await openConnection(mock());
  socket.write(bytes, 'latin1');
  await once(socket, 'end');
  return socket.received();
}

const body = (status: number) => readFileSync(`fixtures/errors/${status}.json`, 'utf8').trimEnd();

const LINE = 'GET /momo/balance?apikey=momo_test_key HTTP/1.1';
const GET = `${LINE}\r\nHost: x\r\n\r\n`;
const LAST = GET.replace('Host: x', 'Host: x\r\nConnection: close');
const LONG = 'a'.repeat(20_000);

it.each([
  ['a broken percent escape in the path', LINE.replace('balance', '%zz')],
  ['a broken percent escape in the query', 'GET /momo/balance?apikey=%g HTTP/1.1'],
  ['a percent-encoded NUL', LINE.replace('balance', '%00')],
])('%s gets a 400, and the next request on its connection is served', async (_what, line) => {
  const response = await replyTo(`${line}\r\nHost: x\r\n\r\n${LAST}`);
  expect(statusesIn(response)).toEqual([400, 200]);
  expect(response).toContain(`\r\n\r\n${body(400)}HTTP/1.1 200 OK\r\n`);
});

// Nobody can tell where the next request begins, so what follows is none.
describe('a broken request gets one response, which closes its connection, and nothing after it is a request:', () => {
  it.each<[what: string, head: string, status?: number]>([
    ['a NUL', `${LINE.replace('balance', '\0')}\r\nHost: x`],
    ['no path', 'GET momo HTTP/1.1\r\nHost: x'],
    ['a URL of 20 KB', `${LINE.replace('?', `?x=${LONG}&`)}\r\nHost: x`, 431],
    ['headers of 20 KB', `${LINE}\r\nHost: x\r\nX: ${LONG}`, 431],
    ['a header without a colon', `${LINE}\r\nHost: x\r\nbroken`],
    ['a header name with a space', `${LINE}\r\nHost: x\r\nbro ken: 1`],
    ['no host', LINE],
    ['an unknown method', `${LINE.replace('GET', 'FROBNICATE')}\r\nHost: x`],
    ['bytes that are not HTTP', 'hello'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x'],
    ...[
      ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked'],
      ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 4'],
      ['two lengths', 'Content-Length: 0\r\nContent-Length: 64'],
      ['a list of lengths', 'Content-Length: 0, 64'],
      ['a signed length', 'Content-Length: +0'],
      ['a length in hex', 'Content-Length: 0x0'],
      ['a length with a space before the colon', 'Content-Length : 0'],
      ['a coding that is none', 'Transfer-Encoding: xchunked'],
      ['chunks that are not the last coding', 'Transfer-Encoding: chunked, identity'],
      ['a coding behind a vertical tab', 'Transfer-Encoding: \x0bchunked'],
      ['a folded coding', 'X: y\r\n Transfer-Encoding: chunked\r\nTransfer-Encoding : chunked'],
    ].map(([what = '', framing]): [string, string] => [what, `${LINE}\r\nHost: x\r\n${framing}`]),
  ])('%s', async (_what, head, status = 400) => {
    const response = await replyTo(`${head}\r\n\r\n0\r\n\r\n${GET}`);
    expect(statusesIn(response)).toEqual([status]);
    expect(response).toMatch(/\r\nconnection: close\r\n/i);
    expect(response).toMatch(/\r\ncontent-type: application\/json; charset=utf-8\r\n/);
    expect(response.endsWith(`\r\n\r\n${body(status)}`)).toBe(true);
    const seen = await mock().requests();
    const reason = head.startsWith('CONNECT') ? 'bad-url' : 'bad-request';
    expect(seen).toMatchObject([{ status, reason, account: null }]);
  });
});

it.each([
  [400, 'hello\r\n\r\n'],
  [431, `${LINE}\r\nHost: x\r\nX: ${LONG}\r\n\r\n`],
])('bytes that never become a request get a %i without CORS headers', async (status, bytes) => {
  const response = await replyTo(bytes);
  expect(statusesIn(response)).toEqual([status]);
  expect(response).not.toMatch(/\r\naccess-control-/i);
});

it.each([
  ['a line that is not HTTP', 'nonsense\r\n\r\n'],
  ['an unknown coding', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0'],
  ['a broken chunk', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n'],
  ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
])('%s after good requests gets its response after theirs', async (_what, broken) => {
  await mock().respondWith({ status: 503, delay: 50 });
  const response = await replyTo(GET + GET + broken);
  expect(statusesIn(response)).toEqual([503, 200, 400]);
  expect(response.endsWith(body(400))).toBe(true);
});

it.each(['Expect: 200-ok', 'Expect: 100-CONTINUE, x', 'Expect:', 'Upgrade: websocket'])(
  'the header "%s" makes no difference',
  async (header) => {
    const head = `${LINE}\r\nHost: x\r\n${header}\r\nConnection: Upgrade, close`;
    expect(await replyTo(`${head}\r\n\r\n`)).toMatch(/HTTP\/1\.1 200 OK\r\n/);
  },
);
