import { connect as connectPlain, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { talk } from '../hostile/client.ts';
import { ask } from '../support/client.ts';
import { type LocalTestMock, startMock } from '../support/mock.ts';

const HEAD = 'POST /momo/balance?apikey=k HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n';
const CHUNKED = HEAD.replace('Content-Length: 9', 'Transfer-Encoding: chunked');
const PUT = `PUT /balance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`;

const portOf = (url: string | null) => Number(new URL(`${url}`).port);
const plain = ({ url }: LocalTestMock) => connectPlain(portOf(url), '127.0.0.1');
const secure = ({ url, ca }: LocalTestMock) =>
  connect({ port: portOf(url), host: 'localhost', ca });
const control = ({ controlUrl }: LocalTestMock) => connectPlain(portOf(controlUrl), '127.0.0.1');

/** What the client gets, and the status and reason of each journal entry. */
const ANSWERED = ['HTTP/1.1 408', [[408, 'bad-request']]] as const;
const UNSEEN = ['HTTP/1.1 408', []] as const;

it.each<[string, (mock: LocalTestMock) => Socket, string, string, unknown]>([
  ['says nothing', plain, '', '', []],
  ['stops in its handshake', plain, '\x16\x03\x01\x02', '', [[null, 'tls-handshake']]],
  ['says nothing after its handshake', secure, '', ...ANSWERED],
  ['stops in its request line', secure, 'GET /momo/bal', ...ANSWERED],
  ['stops in its headers', secure, 'GET /momo/balance HTTP/1.1\r\nHost:', ...ANSWERED],
  ['stops before its body', secure, HEAD, ...ANSWERED],
  ['stops in its body', secure, `${HEAD}{"a"`, ...ANSWERED],
  ['stops in a chunk', secure, CHUNKED, ...ANSWERED],
  ['stops in its headers, to the control API', control, 'GET /health HTTP/1.1\r\nHo', ...UNSEEN],
  ['stops in its body, to the control API', control, `${PUT}{`, ...UNSEEN],
])('a client that %s is let go after the client timeout', async (_what, open, ...rest) => {
  const [bytes, answer, records] = rest;
  // In ms; a mock that did not keep to it would outlast the test.
  const mock = await startMock({}, { control: true, clientTimeout: 300 });
  const socket = open(mock);
  expect((await talk(socket, socket, [bytes], 'wait')).slice(0, 12)).toBe(answer);
  const entries = await mock.requests();
  expect(entries.map(({ status, reason }) => [status, reason])).toEqual(records);
});

it('what a client waits for is not bounded by the client timeout', async () => {
  const mock = await startMock({}, { clientTimeout: 50 });
  await mock.respondWith({ delay: 1500, body: { late: true } });
  expect(await ask(mock)).toMatchObject({ status: 200, json: { late: true } });
});
