import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { type LocalTestMock, sharedMock } from '../support/mock.ts';
import { openConnection, openTcp, statusesIn, talk } from '../support/raw-connection.ts';

/** In ms; a mock that did not keep to it would outlast the test. */
const TIMEOUT = 300;
const NEVER = { 'momo/never.get.js': 'export default () => new Promise(() => {});' };
const mock = sharedMock(NEVER, { control: true, clientTimeout: TIMEOUT });

const GET = 'GET /momo/balance?apikey=momo_test_key HTTP/1.1\r\nHost: x\r\n\r\n';
const POST = `${GET.replace('GET', 'POST').trimEnd()}\r\nContent-Length: 9\r\n\r\n`;
const CHUNKED = POST.replace('Content-Length: 9', 'Transfer-Encoding: chunked');
const PUT = `PUT /balance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`;

const plain = ({ url }: LocalTestMock) => openTcp(url);
const secure = ({ url, ca }: LocalTestMock) =>
  connect({ socket: openTcp(url), servername: 'localhost', ca });
const control = ({ controlUrl }: LocalTestMock) => openTcp(controlUrl);

/** What the client gets, and the status and reason of each journal entry. */
const ANSWERED = ['HTTP/1.1 408', [[408, 'bad-request']]] as const;
const UNSEEN = ['HTTP/1.1 408', []] as const;

it.each<[string, (mock: LocalTestMock) => Socket, string, string, unknown]>([
  ['says nothing', plain, '', '', []],
  ['stops in its handshake', plain, '\x16\x03\x01\x02', '', [[null, 'tls-handshake']]],
  ['says nothing after its handshake', secure, '', ...ANSWERED],
  ['stops in its request line', secure, 'GET /momo/bal', ...ANSWERED],
  ['stops in its headers', secure, 'GET /momo/balance HTTP/1.1\r\nHost:', ...ANSWERED],
  ['stops before its body', secure, POST, ...ANSWERED],
  ['stops in its body', secure, `${POST}{"a"`, ...ANSWERED],
  ['stops in a chunk', secure, CHUNKED, ...ANSWERED],
  ['stops in its headers, to the control API', control, 'GET /health HTTP/1.1\r\nHo', ...UNSEEN],
  ['stops in its body, to the control API', control, `${PUT}{`, ...UNSEEN],
])('a client that %s is let go after the client timeout', async (_what, open, ...rest) => {
  const [bytes, answer, records] = rest;
  const socket = open(mock());
  expect((await talk(socket, socket, [bytes], 'wait')).slice(0, 12)).toBe(answer);
  const entries = await mock().requests();
  expect(entries.map(({ status, reason }) => [status, reason])).toEqual(records);
});

it('a page may read the 408 of a request that was read, and not that of one that was not', async () => {
  const allows = async (bytes: string) => {
    const socket = secure(mock());
    const reply = await talk(socket, socket, [bytes], 'wait');
    expect(reply).toMatch(/^HTTP\/1\.1 408 /);
    return /\r\naccess-control-allow-origin: \*\r\n/i.test(reply);
  };
  const head = 'GET /momo/balance HTTP/1.1\r\nOrigin: https://a.test\r\n';
  expect([await allows(head), await allows(`${POST}{"a"`)]).toEqual([false, true]);
});

it('what a client waits for is not bounded by the client timeout', async () => {
  await mock().respondWith({ delay: 3 * TIMEOUT, body: { late: true } });
  expect(await ask(mock())).toMatchObject({ status: 200, json: { late: true } });
});

it('a handler that never settles is a 500 after the client timeout', async () => {
  expect(await ask(mock(), '/momo/never')).toMatchObject({ status: 500 });
});

it.each([
  ['the rest of it, and then broken chunks', 'efghij\r\n0\r\n\r\nnonsense\r\n\r\n'],
  ['broken chunks', 'efghij\r\nnonsense\r\n'],
  ['the rest of it', 'efghij\r\n0\r\n\r\n'],
])('a body that is late gets one 408, also when followed by %s', async (_what, late) => {
  // Its answer comes when the body behind it is late already.
  await mock().respondWith({ delay: 3 * TIMEOUT });
  const client = await openConnection(mock());
  client.write(`${GET}${CHUNKED}a\r\nabcd`);
  await expect.poll(async () => (await mock().requests())[1]?.status).toBe(408);
  client.write(late);
  await once(client, 'close');
  expect(statusesIn(client.received())).toEqual([200, 408]);
  expect(await mock().requests()).toMatchObject([
    { status: 200, aborted: false },
    { status: 408, reason: 'bad-request', body: 'abcd' },
  ]);
});
