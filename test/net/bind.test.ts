import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bind } from '../../src/net/bind.ts';

const setting = { host: 'THE_HOST', port: 'THE_PORT' };

async function listen(host: string, port = 0): Promise<Server> {
  const server = createServer().listen(port, host);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return server;
}

async function bound(host: string, port: number) {
  const result = await bind({ host, port, setting, create: () => createServer() });
  for (const server of result.servers) onTestFinished(() => void server.close());
  return result;
}

describe('listening', () => {
  test('on localhost is on both loopback addresses, on one port', async () => {
    const { servers, port } = await bound('localhost', 0);
    expect(servers.map((server) => server.address())).toEqual([
      { address: '127.0.0.1', family: 'IPv4', port },
      { address: '::1', family: 'IPv6', port },
    ]);
  });

  test('on localhost hands all connections to one server', async () => {
    const create = () => createServer((socket) => socket.end('here'));
    const { servers, port } = await bind({ host: 'localhost', port: 0, setting, create });
    for (const server of servers) onTestFinished(() => void server.close());
    for (const host of ['127.0.0.1', '::1']) {
      expect(await text(connect({ host, port }))).toBe('here');
    }
  });

  test('on an address is on that one alone', async () => {
    const { servers } = await bound('127.0.0.1', 0);
    expect(servers).toHaveLength(1);
  });

  test.each(['127.0.0.1', '::1'])('on a port in use on %s says so and what to do', async (host) => {
    const { port } = (await listen(host)).address() as AddressInfo;
    await expect(bound('localhost', port)).rejects.toMatchObject({
      code: 'MOMO_MOCK_PORT_IN_USE',
      message: `Failed to listen on localhost port ${port}: another program listens there. Stop it, or set THE_PORT to another port (0 takes any free one).`,
    });
    // Nothing is left of the attempt.
    const other = host === '::1' ? '127.0.0.1' : '::1';
    await listen(other, port);
  });

  test('on an address that the machine does not have names the setting', async () => {
    await expect(bound('192.0.2.1', 0)).rejects.toMatchObject({
      code: 'MOMO_MOCK_LISTEN_FAILED',
      message: expect.stringMatching(/no such address\. Set THE_HOST to one that it has\.$/),
    });
  });

  test('with too many files open says so', async () => {
    const create = () => {
      const server = createServer();
      const listen = () => server.emit('error', Object.assign(new Error(), { code: 'EMFILE' }));
      return Object.assign(server, { listen: () => setImmediate(listen) });
    };
    const bound = bind({ host: '127.0.0.1', port: 0, setting, create: create as never });
    await expect(bound).rejects.toThrow(/too many files are open \(EMFILE\)\. Raise their limit/);
  });

  test('on any free port takes another where one is free on one address only', async () => {
    let taken = 0;
    let tries = 0;
    const result = await bind({
      host: 'localhost',
      port: 0,
      setting,
      create: () => {
        const server = createServer();
        tries++;
        // Right after the first port is known, somebody else takes it on the other address.
        if (tries === 1) {
          server.once('listening', () => {
            const { port } = server.address() as AddressInfo;
            const other = createServer().listen(port, '::1');
            onTestFinished(() => void other.close());
            taken = port;
          });
        }
        return server;
      },
    });
    for (const server of result.servers) onTestFinished(() => void server.close());
    expect(result.servers).toHaveLength(2);
    expect(result.port).not.toBe(taken);
    expect(tries).toBeGreaterThan(1);
  });
});
