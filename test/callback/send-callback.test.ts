import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { AllowedHosts } from '../../src/callback/allowed-hosts.ts';
import { callbackSender } from '../../src/callback/send-callback.ts';
import type { CallbackAttempt } from '../../src/mock/callbacks/callback-attempt.ts';
import { LONGEST_RESPONSE } from '../../src/mock/limits.ts';
import { makeCertificateInMemory } from '../../src/tls/memory-certificate.ts';

/** Where the names of these tests lead; every other name is looked up. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'app.example': ['127.0.0.1'],
  'six.example': ['::1'],
  'elsewhere.example': ['192.0.2.1'],
  'both.example': ['192.0.2.1', '127.0.0.1'],
};

const trusted = vi.hoisted(() => ({ ca: undefined as string | undefined }));

// As with NODE_EXTRA_CA_CERTS, which is read when a process starts.
vi.mock('node:https', async (original) => {
  const https = await original<typeof import('node:https')>();
  const request = (url: URL, options: object) => https.request(url, { ...options, ...trusted });
  return { ...https, request };
});

vi.mock('node:dns', async (original) => {
  const dns = await original<typeof import('node:dns')>();
  const lookup = (name: string, options: object, callback: (...found: unknown[]) => void) => {
    if (name === 'missing.example') return callback(new Error('ENOTFOUND'));
    const found = ADDRESSES[name.replace(/\.$/, '')];
    if (found === undefined) return dns.lookup(name, options, callback as never);
    const family = (address: string) => (address.includes(':') ? 6 : 4);
    callback(
      null,
      found.map((address) => ({ address, family: family(address) })),
    );
  };
  return { ...dns, lookup };
});

async function portOf(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

/** A webhook, and what it is asked. */
async function webhook(respond: RequestListener, host?: string) {
  const server = createServer(respond);
  onTestFinished(() => server.closeAllConnections());
  return `http://127.0.0.1:${await portOf(server, host)}/hook`;
}

/** How an attempt ends. */
async function send(url: string, more: Partial<CallbackAttempt> = {}, hosts: string[] = []) {
  const signal = new AbortController().signal;
  const attempt = { method: 'POST', headers: {}, body: Buffer.from('{}'), timeout: 5000, signal };
  return await callbackSender(hosts)({ ...attempt, url: new URL(url), ...more });
}

it('sends the exact headers and bytes, and tells the status', async () => {
  let received: unknown;
  const url = await webhook(async (request, response) => {
    const chunks = await request.toArray();
    const { method, url, headers } = request;
    received = { method, url, type: headers['x-type'], body: Buffer.concat(chunks) };
    response.writeHead(202).end('thanks');
  });
  const body = Buffer.from([0, 255, 10]);
  const outcome = await send(`${url}?a=b%20c`, { method: 'PUT', headers: { 'x-type': 'y' }, body });
  expect(outcome).toEqual({ status: 202 });
  expect(received).toEqual({ method: 'PUT', url: '/hook?a=b%20c', type: 'y', body });
});

it('follows no redirect', async () => {
  const asked: unknown[] = [];
  const url = await webhook(({ url }, response) => {
    asked.push(url);
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  expect(await send(url)).toEqual({ status: 302 });
  expect(asked).toEqual(['/hook']);
});

it('ends an attempt whose response does not come', async () => {
  const url = await webhook(() => {});
  expect(await send(url, { timeout: 50 })).toEqual({ reason: 'timeout' });
});

it('ends an attempt whose response comes without an end', async () => {
  const url = await webhook((_request, response) => {
    response.write('a');
    const dribble = setInterval(() => response.write('a'), 10);
    response.on('close', () => clearInterval(dribble));
  });
  expect(await send(url, { timeout: 100 })).toEqual({ reason: 'timeout' });
});

it('reads no more than it must of a response of 1 GB', async () => {
  let written = 0;
  let isClosed: Promise<unknown> = Promise.resolve();
  const url = await webhook((_request, response) => {
    isClosed = once(response, 'close');
    const chunk = Buffer.alloc(65_536);
    const write = () => {
      while (!response.destroyed && written < 1e9 && response.write(chunk)) written += chunk.length;
      written += chunk.length;
    };
    response.on('drain', write);
    write();
  });
  expect(await send(url)).toEqual({ status: 200 });
  await isClosed;
  expect(written).toBeLessThan(1e8);
  expect(LONGEST_RESPONSE).toBeLessThan(65_536);
});

it.each<[string, RequestListener]>([
  ['closes the connection', (request) => request.socket.destroy()],
  [
    'breaks off its response',
    (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('a', () => {
        request.socket.destroy();
      });
    },
  ],
  ['responds in another protocol', (request) => request.socket.end('hello\r\n')],
])('an application that %s is a failed connection', async (_what, respond) => {
  expect(await send(await webhook(respond))).toEqual({ reason: 'connection-failed' });
});

it('an application that is not there is a failed connection', async () => {
  const server = createTcpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ reason: 'connection-failed' });
  expect(await send(`https://127.0.0.1:${port}/`)).toEqual({ reason: 'connection-failed' });
});

it('an application whose certificate is not trusted, or without TLS, is a failed handshake', async () => {
  let requests = 0;
  const { cert, key } = await makeCertificateInMemory({ hosts: [] });
  const server = createHttpsServer({ cert, key }, () => requests++);
  server.on('tlsClientError', () => {});
  expect(await send(`https://127.0.0.1:${await portOf(server)}/`)).toEqual({
    reason: 'tls-failed',
  });
  expect(requests).toBe(0);
  const plain = await webhook(() => {});
  expect(await send(plain.replace('http:', 'https:'))).toEqual({ reason: 'tls-failed' });
});

it('an application whose certificate is trusted is called; what breaks after the handshake is a failed connection', async () => {
  const { cert, key } = await makeCertificateInMemory({ hosts: [] });
  trusted.ca = cert;
  onTestFinished(() => {
    trusted.ca = undefined;
  });
  const server = createHttpsServer({ cert, key }, (request, response) => {
    if (request.url === '/hook') response.end();
    else request.socket.destroy();
  });
  const port = await portOf(server);
  expect(await send(`https://127.0.0.1:${port}/hook`)).toEqual({ status: 200 });
  expect(await send(`https://127.0.0.1:${port}/`)).toEqual({ reason: 'connection-failed' });
});

it('a host that cannot be found is a failed connection', async () => {
  expect(await send('http://missing.example/')).toEqual({ reason: 'connection-failed' });
});

it('looks up one address where one is asked for, and all where all are', async () => {
  const { lookup } = new AllowedHosts([]);
  const found = (options: object) =>
    new Promise((resolve) =>
      lookup('both.example', options, (error, ...rest) => resolve([error, ...rest])),
    );
  expect(await found({})).toEqual([null, '127.0.0.1', 4]);
  expect(await found({ all: true })).toEqual([null, [{ address: '127.0.0.1', family: 4 }]]);
});

it('ends when it is aborted, before and during the attempt', async () => {
  const abort = new AbortController();
  const url = await webhook(() => abort.abort());
  expect(await send(url, { signal: abort.signal })).toEqual({ reason: 'cancelled' });
  expect(await send(url, { signal: abort.signal })).toEqual({ reason: 'cancelled' });
});

it('sends the user and password of the URL, unless they cannot be decoded', async () => {
  const url = await webhook(({ headers }, response) => {
    response.writeHead(headers.authorization === 'Basic dTpwQHc=' ? 200 : 401).end();
  });
  expect(await send(url.replace('//', '//u:p%40w@'))).toEqual({ status: 200 });
  expect(await send(url.replace('//', '//u:p%zz@'))).toEqual({ reason: 'bad-url' });
});

it.each([
  ['192.0.2.1', []],
  ['[2001:db8::1]', []],
  ['0.0.0.0', []],
  ['[::ffff:192.0.2.1]', []],
  ['elsewhere.example', []],
  ['elsewhere.example', ['127.0.0.1', 'other.example', '*.elsewhere.example', '*.com']],
])('does not call %s if only %j may be called', async (host, hosts) => {
  expect(await send(`http://${host}:9/`, {}, hosts)).toEqual({ reason: 'host-not-allowed' });
});

it.each([
  ['localhost', []],
  ['127.0.0.1', []],
  ['127.1', []],
  ['[::ffff:127.0.0.1]', []],
  // Names that lead to this machine; from both.example only that address is used.
  ['app.example', []],
  ['both.example', []],
  ['APP.example.', ['app.example']],
  ['app.example', ['*.example']],
])('calls %s if %j may be called', async (host, hosts) => {
  const url = new URL(await webhook((_request, response) => response.end()));
  expect(await send(`http://${host}:${url.port}/`, {}, hosts)).toEqual({ status: 200 });
});

it.each([
  ['elsewhere.example', ['elsewhere.example']],
  ['elsewhere.example', ['*.example']],
  ['elsewhere.example', ['192.0.2.1']],
  ['192.0.2.1', ['192.0.2.1']],
  ['[2001:DB8:0::1]', ['2001:db8::1']],
])('tries to call %s if %j may be called', async (host, hosts) => {
  const outcome = await send(`http://${host}:9/`, { timeout: 50 }, hosts);
  expect(['timeout', 'connection-failed']).toContain((outcome as { reason: string }).reason);
});
