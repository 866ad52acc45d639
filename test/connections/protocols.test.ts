import { once } from 'node:events';
import type { SecureVersion } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { sharedMock } from '../support/mock.ts';
import { openConnection } from '../support/raw-connection.ts';

const mock = sharedMock({}, { control: true });
const open = (options = {}) => openConnection(mock(), options);
const LINE = 'GET /momo/balance?apikey=momo_test_key HTTP/1';

describe('TLS', () => {
  it.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])('accepts %s', async (version) => {
    const socket = await open({ minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
  });

  it.each<SecureVersion>(['TLSv1', 'TLSv1.1'])('refuses %s', async (version) => {
    // OpenSSL offers so old a version at this level only.
    const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(open(old)).rejects.toThrow(/protocol version/);
  });
});

describe('ALPN', () => {
  it.each([
    [['http/1.1'], 'http/1.1'],
    [['http/1.0'], 'http/1.0'],
    [['h2', 'http/1.1'], 'http/1.1'],
    [[], false],
  ])('picks from the offer %j: %j', async (offered, picked) => {
    const socket = await open({ ALPNProtocols: offered });
    expect(socket.alpnProtocol).toBe(picked);
    socket.write(`${LINE}.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await once(socket, 'end');
    expect(socket.received()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('breaks off the handshake if only HTTP/2 is offered', async () => {
    await expect(open({ ALPNProtocols: ['h2'] })).rejects.toThrow(/no application protocol/);
  });
});

it.each(['.1\r\nHost: x\r\nConnection: close', '.0', '.0\r\nHost: x'])(
  'a request with HTTP/1%j gets a response, and the connection is closed',
  async (rest) => {
    const socket = await open();
    socket.write(`${LINE}${rest}\r\n\r\n`);
    await once(socket, 'end');
    expect(socket.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n(.*\r\n)*connection: close\r\n/i);
    expect(socket.received()).toContain(`\r\n\r\n${(await ask(mock())).text}`);
  },
);

it('an idle connection stays open for 75 s, as its header says', async () => {
  const socket = await open();
  socket.write(`${LINE}.1\r\nHost: x\r\n\r\n`);
  await once(socket, 'data');
  expect(socket.received()).toMatch(/\r\nconnection: keep-alive\r\n/i);
  expect(socket.received()).toMatch(/\r\nkeep-alive: timeout=75\r\n/i);
  const headers = { connection: 'keep-alive' };
  const health = await control(mock(), 'GET /health', { headers });
  expect(health.headers['keep-alive']).toBe('timeout=75');
});

it('an announced body is received before the response is sent', async () => {
  const socket = await open();
  socket.write(`${LINE.replace('GET', 'POST')}.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab`);
  await mock().requests({ method: 'POST', waitFor: 1 });
  // A whole request after it, on another connection, gets its response first.
  expect(await ask(mock())).toMatchObject({ status: 200 });
  expect(socket.received()).toBe('');
  socket.write('cd');
  await expect.poll(socket.received).toMatch(/^HTTP\/1\.1 405 /);
  expect(await mock().requests({ status: 405 })).toMatchObject([{ body: 'abcd' }]);
});
