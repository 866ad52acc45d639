import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { type RunningMock, runMock } from '../support/running-mock.ts';

/** In ms; a mock that did not keep to it would outlast the test. */
const CLIENT_TIMEOUT = '300';

const HEAD = 'POST /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n';

function plain(mock: RunningMock): Socket {
  return connectPlain(mock.port, '127.0.0.1');
}

function secure(mock: RunningMock): Socket {
  return connect({ port: mock.port, host: 'localhost', ca: mock.ca });
}

function control(mock: RunningMock): Socket {
  return connectPlain(Number(new URL(mock.controlUrl ?? '').port), '127.0.0.1');
}

/** All that comes back until the other side closes. */
async function outcome(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'close');
  return text;
}

/** What the client gets, and the status and reason of each journal entry. */
const ANSWERED = ['HTTP/1.1 408', [[408, 'bad-request']]] as const;

test.each<[string, (mock: RunningMock) => Socket, string, string, unknown]>([
  ['says nothing', plain, '', '', []],
  ['stops in its handshake', plain, '\x16\x03\x01\x02', '', [[null, 'tls-handshake']]],
  ['says nothing after its handshake', secure, '', ...ANSWERED],
  ['stops in its request line', secure, 'GET /momo/bal', ...ANSWERED],
  ['stops in its headers', secure, 'GET /momo/balance HTTP/1.1\r\nHost:', ...ANSWERED],
  ['stops before its body', secure, HEAD, ...ANSWERED],
  ['stops in its body', secure, `${HEAD}{"a"`, ...ANSWERED],
  [
    'stops in a chunk',
    secure,
    HEAD.replace('Content-Length: 9', 'Transfer-Encoding: chunked'),
    ...ANSWERED,
  ],
  [
    'stops in its headers, to the control API',
    control,
    'GET /health HTTP/1.1\r\nHost:',
    'HTTP/1.1 408',
    [],
  ],
  [
    'stops in its body, to the control API',
    control,
    'PUT /balance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    'HTTP/1.1 408',
    [],
  ],
])('a client that %s is let go after the client timeout', async (_name, open, ...rest) => {
  const [bytes, answer, records] = rest;
  const mock = await runMock({ CLIENT_TIMEOUT });
  const socket = open(mock);
  socket.write(bytes, 'latin1');
  expect((await outcome(socket)).slice(0, 12)).toBe(answer);
  const entries = await mock.controller.requests(undefined, {});
  expect(entries.map(({ status, reason }) => [status, reason])).toEqual(records);
});

test('what a client waits for is not bounded by the client timeout', async () => {
  const mock = await runMock({ CLIENT_TIMEOUT: '50' });
  mock.controller.script(undefined, { delay: 1500, body: { late: true } }, 'append');
  expect(await mock.get('/momo/balance?apikey=good')).toMatchObject({ status: 200 });
});
