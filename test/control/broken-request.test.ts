import { connect } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { talk } from '../support/raw-connection.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';

let mock: RunningMock;

beforeAll(async () => {
  mock = await runMock({ CLIENT_TIMEOUT: '500' }, { own: true });
  return () => mock.close();
});

function send(bytes: string): Promise<string> {
  const port = Number(new URL(mock.controlUrl ?? '').port);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  return talk(socket, socket, [bytes], 'wait');
}

const HEAD = 'PUT /balance HTTP/1.1\r\nHost: localhost\r\napikey: good\r\n';
const JSON_HEAD = `${HEAD}Content-Type: application/json\r\n`;

test.each([
  ['no HTTP at all', 'apikey=good', 400],
  ['a broken header', `${HEAD}good\r\n\r\n`, 400],
  ['two lengths', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400],
  ['an unknown coding', `${JSON_HEAD}Transfer-Encoding: xchunked\r\n\r\n{}`, 400],
  ['a broken chunk', `${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\ngood\r\n`, 400],
  ['headers of 20 KB', `${HEAD}X: ${'good'.repeat(5000)}\r\n\r\n`, 431],
  ['CONNECT', 'CONNECT good:99999 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['headers that never end', HEAD, 408],
])(
  '%s is refused in the shape of every error, and nothing is repeated',
  async (_, bytes, status) => {
    const reply = await send(bytes.endsWith('good') ? `${bytes}\r\n\r\n` : bytes);
    expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(reply).toMatch(/\r\nconnection: close\r\n/i);
    const body = JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')));
    expect(body).toEqual({
      error: {
        code: 'MOMO_MOCK_REQUEST_INVALID',
        message: expect.stringMatching(/^Failed to read/),
      },
    });
    expect(reply).not.toContain('good');
  },
);

test('a request without a host is refused by the gate, in that shape too, and closed', async () => {
  const next = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const reply = await send(`GET /health HTTP/1.1\r\n\r\n${next}`);
  expect(reply).toMatch(/^HTTP\/1\.1 403 .*MOMO_MOCK_HOST_REFUSED/s);
  expect(reply).toMatch(/\r\nconnection: close\r\n/i);
  expect(reply.match(/HTTP\/1\.1 /g)).toHaveLength(1);
});

test('what was asked before is answered before it', async () => {
  const reply = await send('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nnonsense\r\n\r\n');
  expect(reply.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
});

test('a client that goes away between a request and its CONNECT brings nothing down', async () => {
  const port = Number(new URL(mock.controlUrl ?? '').port);
  const socket = connect({ port, host: '127.0.0.1' });
  const wait = 'GET /requests?waitFor=1 HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const health = await send('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(health).toMatch(/^HTTP\/1\.1 200 /);
  // The first answer shows that all of it was read.
  const first = health.replace(/^.*?\r\n\r\n/s, '');
  const bytes = `GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n${wait}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`;
  socket.write(bytes);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await expect.poll(() => text).toContain(first);
  socket.resetAndDestroy();
  // Without a listener its error would be one of the whole process.
  expect((await mock.get('/momo/balance?apikey=good')).status).toBe(200);
});
