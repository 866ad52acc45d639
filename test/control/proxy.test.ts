import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { type RunningMock, runMock } from '../support/running-mock.ts';
import { askProxy, balance, head, openControl, openTls, openTunnel } from './tunnel.ts';

const NAMES = 'api.example.com,*.wild.example,10.1.2.3';

function start(settings: Record<string, string> = {}): Promise<RunningMock> {
  return runMock({ TLS_HOSTS: NAMES, ...settings });
}

describe('the proxy carries', () => {
  test.each([
    ['a name of the certificate', 'api.example.com', 443],
    ['it at any port', 'api.example.com', 9999],
    ['it in another letter case', 'API.Example.COM', 443],
    ['a name that a wildcard covers', 'one.wild.example', 443],
  ])('%s, and TLS is end to end', async (_case, name, port) => {
    const mock = await start();
    const socket = await openTls(mock, name, port);
    const shown = socket.getPeerX509Certificate()?.toString();
    expect(mock.certificate.cert).toContain(shown?.trim());
    socket.write(balance());
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*XOF/);
  });

  test.each(['10.1.2.3:443', 'localhost:OWN', '127.0.0.1:OWN', '[::1]:OWN'])(
    '%s',
    async (where) => {
      const mock = await start();
      const { answer } = await openTunnel(mock, where.replace('OWN', String(mock.port)));
      expect(answer).toBe('HTTP/1.1 200 Connection established\r\n\r\n');
    },
  );

  test('what the client sends before the proxy has answered', async () => {
    const mock = await start();
    const socket = openControl(mock);
    let connect = 'CONNECT api.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n';
    const early = new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        socket.write(Buffer.concat([Buffer.from(connect), chunk]), done);
        connect = '';
      },
    });
    const secure = connectTls({ socket: early, servername: 'api.example.com', ca: mock.ca });
    await once(socket, 'connect');
    expect(await head(socket)).toMatch(/^HTTP\/1\.1 200 /);
    socket.on('data', (chunk) => early.push(chunk)).on('end', () => early.push(null));
    secure.write(balance());
    expect(await text(secure)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('a connection over which the control API was asked before', async () => {
    const mock = await start();
    const socket = openControl(mock);
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    socket.write('CONNECT api.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await head(socket)).toMatch(/^HTTP\/1\.1 200 OK/);
    const rest = await head(socket);
    expect(rest).toMatch(/"ready":true[\s\S]*HTTP\/1\.1 200 Connection established\r\n\r\n$/);
    const secure = connectTls({ socket, servername: 'api.example.com', ca: mock.ca });
    secure.write(balance());
    expect(await text(secure)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('plain HTTP to the answer that it gets on the service’s own port', async () => {
    const { socket } = await openTunnel(await start(), 'api.example.com:443');
    socket.write(balance());
    expect(await text(socket)).toContain('This port speaks HTTPS only.');
  });

  test('a request behind which the client sends no more', async () => {
    const socket = await openTls(await start(), 'api.example.com');
    socket.end(balance('keep-alive'));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ['reset', 'ECONNRESET'],
    ['close', 'end'],
  ] as const)('the fault %s to the client: it gets %s', async (fault, code) => {
    const mock = await start();
    await mock.controller.script(undefined, [{ fault }], 'append');
    const socket = await openTls(mock, 'api.example.com');
    const broken = new Promise((done) => {
      socket.once('error', (error: NodeJS.ErrnoException) => done(error.code));
      socket.once('end', () => done('end'));
    });
    socket.resume();
    socket.write(balance());
    expect(await broken).toBe(code);
  });
});

describe('the proxy refuses', () => {
  test.each([
    ...['example.com:443', 'api.example.com.evil.test:443', 'a.b.wild.example:443'],
    ...['localhost:1', '127.0.0.1:443', '[::1]:1', '10.1.2.4:443', '169.254.169.254:80'],
  ])('%s, clearly, and reaches nothing', async (authority) => {
    const mock = await start();
    const answer = await askProxy(mock, `CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').error).toEqual({
      code: 'MOMO_MOCK_HOST_REFUSED',
      message: expect.stringContaining('this proxy only forwards to momo-mock'),
    });
    const said = mock.records.filter(({ level }) => level === 40);
    expect(said.map(({ msg }) => msg)).toEqual([
      expect.stringContaining(`to ${authority}: the proxy only forwards to momo-mock`),
    ]);
  });

  test('a host again and again, and says it once', async () => {
    const mock = await start();
    for (let count = 0; count < 3; count++) await askProxy(mock, 'CONNECT a.test:1 HTTP/1.1');
    expect(mock.records.filter(({ level }) => level === 40)).toHaveLength(1);
  });

  test('many hosts, and does not say all', async () => {
    const mock = await start();
    const hosts = Array.from({ length: 110 }, (_, index) => `CONNECT a${index}.test:1 HTTP/1.1`);
    for (const line of hosts) await askProxy(mock, line);
    expect(mock.records.filter(({ level }) => level === 40)).toHaveLength(100);
  });

  test.each(['api.example.com', 'api.example.com:99999', ':443', 'a b:443', 'a/b:1', 'ü:443'])(
    '%s as no HTTP, and the log repeats nothing of it',
    async (authority) => {
      const mock = await start();
      expect(await askProxy(mock, `CONNECT ${authority} HTTP/1.1`)).toMatch(/^HTTP\/1\.1 400 /);
      expect(mock.records.filter(({ level }) => Number(level) > 30)).toEqual([]);
    },
  );

  test('a key as a host, and does not say it', async () => {
    const mock = await start({ API_KEYS: 'good-key' });
    expect(await askProxy(mock, 'CONNECT good-key:443 HTTP/1.1')).toMatch(/^HTTP\/1\.1 403 /);
    expect(JSON.stringify(mock.records)).toContain('[redacted]:443');
    expect(JSON.stringify(mock.records)).not.toContain('good-key');
  });
});

describe('the proxy of a control API that demands a token', () => {
  const basic = (token: string) => `Basic ${Buffer.from(`any:${token}`).toString('base64')}`;

  test.each([
    ['without it', undefined, 407],
    ['with a wrong one', basic('wrong'), 407],
    ['with a wrong scheme', 'Digest to:ken', 407],
    ['with it as a password', basic('to:ken'), 200],
    ['with it as a bearer', 'Bearer to:ken', 200],
  ])('answers a client %s', async (_case, authorization, status) => {
    const mock = await start({ CONTROL_TOKEN: 'to:ken' });
    const headers = authorization === undefined ? [] : [`Proxy-Authorization: ${authorization}`];
    const { answer } = await openTunnel(mock, 'api.example.com:443', headers);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.includes('proxy-authenticate: Basic')).toBe(status === 407);
  });
});
