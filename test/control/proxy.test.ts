import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask } from '../support/client.ts';
import { startServer, type TestServer } from '../support/mock.ts';
import type { MomoHandler } from '../support/momo-mock.ts';
import { openTcp } from '../support/raw-connection.ts';

const HOST = 'api.example.com';
const SETTINGS = { TLS_HOSTS: `${HOST},*.wild.example,10.1.2.3` };
const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';
const HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
const CONNECT = `CONNECT ${HOST}:443 HTTP/1.1\r\nHost: x\r\n\r\n`;

const start = (settings: Record<string, string> = {}) =>
  startServer({}, { ...SETTINGS, ...settings });

/** A socket to the control API, which is destroyed when the test is over. */
function open({ controlUrl }: Pick<TestServer, 'controlUrl'>): Socket {
  const socket = openTcp(controlUrl).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Everything that the control API responds to some lines, until it closes. */
async function askProxy(mock: TestServer, ...lines: string[]): Promise<string> {
  const socket = open(mock);
  socket.write([...lines, '', ''].join('\r\n'));
  return await text(socket);
}

/** What a socket gets until it has an end of headers in it. */
async function head(socket: Socket): Promise<string> {
  let read = '';
  while (!read.endsWith('\r\n\r\n')) {
    const byte: Buffer | null = socket.read(1);
    if (byte !== null) read += byte.toString('latin1');
    else
      await new Promise<void>((done) => {
        for (const event of ['readable', 'close', 'error']) socket.once(event, () => done());
      });
    if (byte === null && socket.destroyed) throw new Error(`closed after: ${read}`);
  }
  return read;
}

/** A tunnel through the proxy, and the response that opened it. */
async function openTunnel(mock: TestServer, authority = `${HOST}:443`, ...headers: string[]) {
  const socket = open(mock);
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`, ...headers, '', ''];
  socket.write(lines.join('\r\n'));
  return { socket, response: await head(socket) };
}

/** TLS through a tunnel, verified for a name. */
async function openTls(mock: TestServer, name = HOST, port = 443): Promise<TLSSocket> {
  const { socket, response } = await openTunnel(mock, `${name}:${port}`);
  expect(response).toBe(ESTABLISHED);
  const secure = connectTls({ socket, servername: name, ca: mock.ca });
  await once(secure, 'secureConnect');
  return secure.on('error', () => {});
}

/** A request for the balance, after which the connection is kept or closed. */
const balance = (connection = 'close') =>
  `GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`;

describe('the proxy carries', () => {
  test.each([
    { what: 'a name of the certificate', name: HOST, port: 443 },
    { what: 'the name with any port', name: HOST, port: 9999 },
    { what: 'the name in another letter case', name: 'API.Example.COM', port: 443 },
    { what: 'a name that matches a wildcard', name: 'one.wild.example', port: 443 },
  ])('$what, and TLS is end to end', async ({ name, port }) => {
    const mock = await start();
    const socket = await openTls(mock, name, port);
    const shown = socket.getPeerX509Certificate()?.toString();
    expect(mock.certificate.cert).toContain(shown?.trim());
    // A FIN behind the request does not cut its response.
    socket.end(balance('keep-alive'));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*XOF/);
  });

  test.each(['10.1.2.3:443', 'localhost:OWN', '127.0.0.1:OWN', '[::1]:OWN'])(
    '%s',
    async (where) => {
      const mock = await start();
      const { response } = await openTunnel(mock, where.replace('OWN', String(mock.port)));
      expect(response).toBe(ESTABLISHED);
    },
  );

  test('data that the client sends before the proxy has responded', async () => {
    const mock = await start();
    const socket = open(mock);
    let connect = CONNECT;
    const early = new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        socket.write(Buffer.concat([Buffer.from(connect), chunk]), done);
        connect = '';
      },
    });
    const secure = connectTls({ socket: early, servername: HOST, ca: mock.ca });
    await once(socket, 'connect');
    expect(await head(socket)).toBe(ESTABLISHED);
    socket.on('data', (chunk) => early.push(chunk)).on('end', () => early.push(null));
    secure.write(balance());
    expect(await text(secure)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('a tunnel on a connection that was used for the control API before', async () => {
    const mock = await start();
    const socket = open(mock);
    socket.write(HEALTH + CONNECT);
    expect(await head(socket)).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(await head(socket)).toMatch(/"ready":true[\s\S]*Connection established\r\n\r\n$/);
    const secure = connectTls({ socket, servername: HOST, ca: mock.ca });
    secure.write(balance());
    expect(await text(secure)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('plain HTTP, which gets the same response as on the service port', async () => {
    const { socket } = await openTunnel(await start());
    socket.write(balance());
    expect(await text(socket)).toContain('This port speaks HTTPS only.');
  });

  test.each([
    ['reset', 'ECONNRESET'],
    ['close', 'end'],
  ] as const)('the fault %s to the client, which gets %s', async (fault, code) => {
    const mock = await start();
    await mock.all.responses.add({ fault });
    const socket = await openTls(mock);
    const broken = new Promise((done) => {
      socket.once('error', (error: NodeJS.ErrnoException) => done(error.code));
      socket.once('end', () => done('end'));
    });
    socket.resume().write(balance());
    expect(await broken).toBe(code);
  });
});

describe('the proxy refuses', () => {
  const warnings = ({ records }: TestServer) => records.filter(({ level }) => level === 40);

  test.each([
    ...['example.com:443', 'api.example.com.evil.test:443', 'a.b.wild.example:443'],
    ...['localhost:1', '127.0.0.1:443', '[::1]:1', '10.1.2.4:443', '169.254.169.254:80'],
  ])('%s with a clear error, logs it once, and connects to nothing', async (authority) => {
    const mock = await start();
    const ask = () => askProxy(mock, `CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`);
    const response = await ask();
    expect(await ask()).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '').error).toEqual({
      code: 'MOMO_MOCK_HOST_REFUSED',
      message: expect.stringContaining('this proxy only forwards to momo-mock'),
    });
    expect(warnings(mock).map(({ msg }) => msg)).toEqual([
      expect.stringContaining(`to ${authority}: the proxy only forwards to momo-mock`),
    ]);
  });

  test('many hosts, and does not log all of them', async () => {
    const mock = await start();
    const hosts = Array.from({ length: 110 }, (_, index) => `CONNECT a${index}.test:1 HTTP/1.1`);
    for (const line of hosts) await askProxy(mock, line);
    expect(warnings(mock)).toHaveLength(100);
  });

  test.each(['api.example.com', 'api.example.com:99999', ':443', 'a b:443', 'a/b:1', 'ü:443'])(
    '%s as invalid HTTP, and does not repeat it in the log',
    async (authority) => {
      const mock = await start();
      expect(await askProxy(mock, `CONNECT ${authority} HTTP/1.1`)).toMatch(/^HTTP\/1\.1 400 /);
      expect(mock.records.filter(({ level }) => Number(level) > 30)).toEqual([]);
    },
  );

  test('a key as a host, and does not show it', async () => {
    const mock = await start({ API_KEYS: 'good-key' });
    expect(await askProxy(mock, 'CONNECT good-key:443 HTTP/1.1')).toMatch(/^HTTP\/1\.1 403 /);
    expect(JSON.stringify(mock.records)).toContain('[redacted]:443');
    expect(JSON.stringify(mock.records)).not.toContain('good-key');
  });

  const basic = (token: string) => `Basic ${Buffer.from(`any:${token}`).toString('base64')}`;

  test.each([
    { name: 'no token', sent: undefined, status: 407 },
    { name: 'a wrong token', sent: basic('wrong'), status: 407 },
    { name: 'a wrong scheme', sent: 'Digest to:ken', status: 407 },
    { name: 'the token as a password', sent: basic('to:ken'), status: 200 },
    { name: 'the token as a bearer', sent: 'Bearer to:ken', status: 200 },
  ])(
    'a client without the required token: with $name it gets a $status',
    async ({ sent, status }) => {
      const mock = await start({ CONTROL_TOKEN: 'to:ken' });
      const headers = sent === undefined ? [] : [`Proxy-Authorization: ${sent}`];
      const { response } = await openTunnel(mock, undefined, ...headers);
      expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(response.includes('proxy-authenticate: Basic')).toBe(status === 407);
    },
  );
});

describe('a stop', () => {
  const own = (shutdown = '3600000', settings: Record<string, string> = {}) =>
    start({ SHUTDOWN_TIMEOUT: shutdown, ...settings });

  test('closes idle tunnels in every state', async () => {
    const mock = await own();
    const { socket } = await openTunnel(mock);
    const secure = await openTls(mock);
    const used = await openTls(mock);
    used.write(balance('keep-alive'));
    await once(used, 'readable');
    const closed = [socket, secure, used].map((one) => once(one.resume(), 'end'));
    await mock.close();
    await Promise.all(closed);
  });

  test('lets a handler that runs for a tunnel finish', async () => {
    const mock = await own();
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await mock.handle('GET /momo/balance', async () => {
      await finished;
      return { status: 200 };
    });
    const socket = await openTls(mock);
    socket.write(balance('keep-alive'));
    await mock.all.requests.find({ waitFor: 1 });
    const closed = mock.close();
    finish();
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
  });

  test.each<{ name: string; shutdown: string; handler: MomoHandler | undefined }>([
    {
      name: 'a handler at work at its deadline',
      shutdown: '50',
      handler: () => new Promise(() => {}),
    },
    { name: 'a delayed response immediately', shutdown: '3600000', handler: undefined },
  ])('cuts off $name', async ({ shutdown, handler }) => {
    const mock = await own(shutdown);
    if (handler !== undefined) await mock.handle('GET /momo/balance', handler);
    else await mock.all.responses.add({ delay: 3_600_000 });
    const socket = await openTls(mock);
    socket.write(balance('keep-alive'));
    await mock.all.requests.find({ waitFor: 1 });
    const [, received] = await Promise.all([mock.close(), text(socket).catch(() => '')]);
    expect(received).toBe('');
  });

  test('ends after clients disconnect in a tunnel at any moment', async () => {
    const mock = await own();
    for (const hangUp of ['destroy', 'resetAndDestroy', 'end'] as const) {
      const { socket } = await openTunnel(mock);
      const { socket: half } = await openTunnel(mock);
      half.write(Buffer.from([0x16, 3, 1]));
      for (const one of [socket, half]) one.resume()[hangUp]();
    }
    for (const hangUp of ['destroy', 'end'] as const) {
      const secure = await openTls(mock);
      secure.resume().write(balance('keep-alive'));
      secure[hangUp]();
    }
    await mock.close();
  });

  const PENDING = `GET /requests?waitFor=1&timeout=600000 HTTP/1.1\r\nHost: localhost\r\n\r\n${CONNECT}`;

  test('responds to a request before a CONNECT, and then closes its connection', async () => {
    // Nor is it a client that says nothing for too long.
    const mock = await own('3600000', { CLIENT_TIMEOUT: '3600000' });
    const socket = open(mock);
    socket.write(HEALTH + PENDING);
    expect(await head(socket)).toMatch(/^HTTP\/1\.1 200 /);
    const rest = text(socket);
    await mock.close();
    expect((await rest).replaceAll(/\r\n[\da-f]+\r\n/g, '')).toMatch(/"code":"MOMO_MOCK_CLOSED"/);
  });

  test('ends after a client disconnects before its CONNECT was handled', async () => {
    const mock = await own();
    const socket = open(mock);
    socket.write(HEALTH + PENDING);
    // The first response shows that all of it was read.
    await head(socket);
    socket.resetAndDestroy();
    await once(socket, 'close');
    expect((await ask(mock)).status).toBe(200);
    await mock.close();
  });

  test('cuts off a half-sent request to the control API at the deadline', async () => {
    const mock = await own('50', { CLIENT_TIMEOUT: '3600000' });
    const socket = open(mock);
    const head = 'PUT /balance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    socket.write(`${HEALTH}${head}Content-Length: 9\r\n\r\n{`);
    await once(socket, 'readable');
    const over = text(socket).then(String, String);
    await mock.close();
    await over;
  });
});
