import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type SecureVersion } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { sendOverTls } from '../support/raw-connection.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';

const balance = readFileSync('fixtures/momo/balance.get.json', 'utf8').trimEnd();

let mock: RunningMock;

beforeAll(async () => {
  mock = await runMock({}, { own: true });
  return () => mock.close();
});

/** Connects, and gives the socket after the handshake. */
async function open(options: object) {
  const socket = connect({ port: mock.port, host: 'localhost', ca: mock.ca, ...options });
  await once(socket, 'secureConnect');
  return socket.setEncoding('latin1');
}

describe('TLS', () => {
  test.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])('%s is spoken', async (version) => {
    const socket = await open({ minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
    socket.destroy();
  });

  test.each<SecureVersion>(['TLSv1', 'TLSv1.1'])('%s is not', async (version) => {
    // OpenSSL offers so old a version at this level only.
    const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(open(old)).rejects.toThrow(/protocol version/);
  });
});

describe('ALPN', () => {
  test.each([
    [['http/1.1'], 'http/1.1'],
    [['http/1.0'], 'http/1.0'],
    [['h2', 'http/1.1'], 'http/1.1'],
    [[], false],
  ])('of %j picks %j', async (offered, picked) => {
    const socket = await open({ ALPNProtocols: offered });
    expect(socket.alpnProtocol).toBe(picked);
    socket.end('GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('of HTTP/2 alone breaks the handshake off', async () => {
    await expect(open({ ALPNProtocols: ['h2'] })).rejects.toThrow(/no application protocol/);
  });
});

test.each([
  'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: close',
  'GET /momo/balance?apikey=good HTTP/1.0',
  'GET /momo/balance?apikey=good HTTP/1.0\r\nHost: x',
])('%j is answered, and the connection closed', async (head) => {
  const reply = await sendOverTls(mock, `${head}\r\n\r\n`);
  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(reply).toMatch(/\r\nconnection: close\r\n/i);
  expect(reply.endsWith(`\r\n\r\n${balance}`)).toBe(true);
});

test('an idle connection is kept open for 75 s, as its header says', async () => {
  const socket = await open({});
  socket.write('GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(answer).toMatch(/\r\nconnection: keep-alive\r\n/i);
  expect(answer).toMatch(/\r\nkeep-alive: timeout=75\r\n/i);
  const health = await fetch(`${mock.controlUrl}/health`);
  expect(health.headers.get('keep-alive')).toBe('timeout=75');
  socket.destroy();
});

test('an announced body is received before the answer is sent', async () => {
  const socket = await open({});
  let answer = '';
  socket.on('data', (text) => (answer += text));
  const head = 'POST /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n';
  socket.write(`${head}ab`);
  const inFlight = async () => (await mock.controller.requests(undefined, {})).at(-1)?.method;
  await expect.poll(inFlight).toBe('POST');
  // A whole request after it, on another connection, is answered first.
  expect(await mock.get('/momo/balance?apikey=good')).toMatchObject({ status: 200 });
  expect(answer).toBe('');
  socket.write('cd');
  await expect.poll(() => answer).toMatch(/^HTTP\/1\.1 405 /);
  expect(await mock.controller.requests('good', { status: 405 })).toMatchObject([{ body: 'abcd' }]);
  socket.destroy();
});
