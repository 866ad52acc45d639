import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { serverTimeouts } from '../../src/net/timeouts.ts';
import { sendOverTls } from '../support/raw-connection.ts';
import { runMock } from '../support/running-mock.ts';

const balance = readFileSync('fixtures/momo/balance.get.json', 'utf8').trimEnd();

test.each([
  'GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: close',
  'GET /momo/balance?apikey=good HTTP/1.0',
  'GET /momo/balance?apikey=good HTTP/1.0\r\nHost: x',
  'GET https://example.com/momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: close',
])('%j is answered, and the connection closed', async (head) => {
  const mock = await runMock();
  const reply = await sendOverTls(mock, `${head}\r\n\r\n`);
  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(reply).toMatch(/\r\nconnection: close\r\n/i);
  expect(reply.endsWith(`\r\n\r\n${balance}`)).toBe(true);
});

test('an idle connection ends after 75 s, as its header says', async () => {
  const mock = await runMock();
  const { headers } = await mock.get('/momo/balance?apikey=good', {
    agent: new Agent({ keepAlive: true }),
  });
  expect(headers['keep-alive']).toBe('timeout=75');
  const health = await fetch(`${mock.controlUrl}/health`);
  expect(health.headers.get('keep-alive')).toBe('timeout=75');
  expect(serverTimeouts(1).keepAliveTimeout).toBe(75_000);
});

test.each([
  [['http/1.0'], 'http/1.0'],
  [['http/1.1', 'http/1.0'], 'http/1.1'],
  [['h2', 'http/1.1'], 'http/1.1'],
  [[], false],
])('a client that offers %j in its handshake gets %s', async (ALPNProtocols, chosen) => {
  const { port, ca } = await runMock();
  const socket = connect({ port, host: 'localhost', ca, ALPNProtocols });
  await once(socket, 'secureConnect');
  expect(socket.alpnProtocol).toBe(chosen);
  socket.write('GET /momo/balance?apikey=good HTTP/1.0\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});
