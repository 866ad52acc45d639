import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { runMock } from '../support/running-mock.ts';
import { balance, head, openControl, openTls, openTunnel } from './tunnel.ts';

const SETTINGS = { TLS_HOSTS: 'api.example.com', SHUTDOWN_TIMEOUT: '3600000' };

test('a stop closes tunnels that are idle, in whatever state', async () => {
  const mock = await runMock(SETTINGS, { own: true });
  const { socket } = await openTunnel(mock, 'api.example.com:443');
  const secure = await openTls(mock, 'api.example.com');
  const used = await openTls(mock, 'api.example.com');
  used.write(balance('keep-alive'));
  await once(used, 'readable');
  const closed = [socket, secure, used].map((one) => {
    one.on('error', () => {});
    one.resume();
    return once(one, 'end');
  });
  await mock.close();
  await Promise.all(closed);
});

test('a stop lets a running answer in a tunnel finish', async () => {
  const mock = await runMock(SETTINGS, { own: true });
  await mock.controller.script(undefined, [{ delay: 300 }], 'append');
  const socket = await openTls(mock, 'api.example.com');
  socket.write(balance('keep-alive'));
  await mock.controller.requests(undefined, { waitFor: 1 });
  const [, answer] = await Promise.all([mock.close(), text(socket)]);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

test('a stop cuts a tunnel at its deadline', async () => {
  const mock = await runMock({ ...SETTINGS, SHUTDOWN_TIMEOUT: '50' }, { own: true });
  await mock.controller.script(undefined, [{ delay: 3_600_000 }], 'append');
  const socket = await openTls(mock, 'api.example.com');
  socket.on('error', () => {});
  socket.write(balance('keep-alive'));
  await mock.controller.requests(undefined, { waitFor: 1 });
  await mock.close();
  expect(await text(socket).catch(() => '')).toBe('');
});

test('clients that hang up in a tunnel, at whatever moment, leave nothing open', async () => {
  const mock = await runMock(SETTINGS, { own: true });
  for (const hangUp of ['destroy', 'resetAndDestroy', 'end'] as const) {
    const { socket } = await openTunnel(mock, 'api.example.com:443');
    const { socket: half } = await openTunnel(mock, 'api.example.com:443');
    half.write(Buffer.from([0x16, 3, 1]));
    for (const one of [socket, half]) {
      one.on('error', () => {}).resume();
      one[hangUp]();
    }
  }
  for (const hangUp of ['destroy', 'end'] as const) {
    const secure = await openTls(mock, 'api.example.com');
    secure.on('error', () => {}).resume();
    secure.write(balance('keep-alive'));
    secure[hangUp]();
  }
  await mock.close();
});

const PENDING =
  'GET /requests?waitFor=1&timeout=600000 HTTP/1.1\r\nHost: localhost\r\n\r\nCONNECT api.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n';

test('a stop answers what is asked in front of a CONNECT, and closes its connection then', async () => {
  const mock = await runMock(SETTINGS, { own: true });
  const socket = openControl(mock);
  const health = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
  socket.write(health + PENDING);
  expect(await head(socket)).toMatch(/^HTTP\/1\.1 200 /);
  const rest = text(socket);
  await mock.close();
  // The journal is sent in chunks.
  expect((await rest).replaceAll(/\r\n[\da-f]+\r\n/g, '')).toMatch(/"requests":\[\]/);
});

test('a client that goes away before its CONNECT is due leaves nothing open', async () => {
  const mock = await runMock(SETTINGS, { own: true });
  const socket = openControl(mock);
  const health = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
  socket.write(health + PENDING);
  // The first answer shows that all of it was read.
  await head(socket);
  socket.resetAndDestroy();
  await once(socket, 'close');
  expect((await mock.get('/momo/balance?apikey=good')).status).toBe(200);
  await mock.close();
});

test('a stop cuts a call of the control API that is half sent, at its deadline', async () => {
  const settings = { SHUTDOWN_TIMEOUT: '50', CLIENT_TIMEOUT: '3600000' };
  const mock = await runMock(settings, { own: true });
  const socket = openControl(mock).on('error', () => {});
  const head = 'PUT /balance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  socket.write(`GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n${head}Content-Length: 9\r\n\r\n{`);
  await once(socket, 'readable');
  const over = text(socket).then(
    () => 'ended',
    () => 'reset',
  );
  await mock.close();
  expect(['ended', 'reset']).toContain(await over);
});
