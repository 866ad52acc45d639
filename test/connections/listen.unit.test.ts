import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../src/net/listen.ts';
import { HAS_IPV6, needsIpv6 } from '../support/machine.ts';

const setting = { host: 'THE_HOST', port: 'THE_PORT' };

async function occupy(host: string, port = 0): Promise<Server> {
  const server = createServer().listen(port, host);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return server;
}

async function listening(host: string, port: number, server = createServer()) {
  const result = await listen({ server, host, port, setting });
  for (const one of result.servers) onTestFinished(() => void one.close());
  return result;
}

describe('listening', () => {
  test('on localhost uses both loopback addresses, on one port', async (context) => {
    needsIpv6(context);
    const { servers, port } = await listening('localhost', 0);
    expect(servers.map((server) => server.address())).toEqual([
      { address: '127.0.0.1', family: 'IPv4', port },
      { address: '::1', family: 'IPv6', port },
    ]);
  });

  test('on localhost hands all connections to one server', async () => {
    const { port } = await listening(
      'localhost',
      0,
      createServer((socket) => socket.end('here')),
    );
    for (const host of HAS_IPV6 ? ['127.0.0.1', '::1'] : ['127.0.0.1']) {
      expect(await text(connect({ host, port }))).toBe('here');
    }
  });

  test('on an address uses only that address', async () => {
    const { servers } = await listening('127.0.0.1', 0);
    expect(servers).toHaveLength(1);
  });

  test.for(['127.0.0.1', '::1'])(
    'on a port that is in use on %s fails and says what to do',
    async (host, context) => {
      if (host === '::1') needsIpv6(context);
      const { port } = (await occupy(host)).address() as AddressInfo;
      await expect(listening('localhost', port)).rejects.toMatchObject({
        code: 'MOMO_MOCK_PORT_IN_USE',
        message: `Failed to listen on localhost port ${port}: another program listens there. Stop it, or set THE_PORT to another port (0 chooses a free one).`,
      });
      // Nothing is left of the attempt.
      const other = host === '::1' ? '127.0.0.1' : '::1';
      if (HAS_IPV6) await occupy(other, port);
    },
  );

  test('on an address that the machine does not have fails and names the setting', async () => {
    await expect(listening('192.0.2.1', 0)).rejects.toMatchObject({
      code: 'MOMO_MOCK_LISTEN_FAILED',
      message: expect.stringMatching(/no such address\. Set THE_HOST to one of its addresses\.$/),
    });
  });

  test.each(['EMFILE', 'ENFILE'])(
    'with too many open files fails and says so: %s',
    async (code) => {
      const server = createServer();
      const fail = () => server.emit('error', Object.assign(new Error(), { code }));
      Object.assign(server, { listen: () => setImmediate(fail) });
      await expect(listening('127.0.0.1', 0, server)).rejects.toThrow(
        `too many files are open (${code}). Raise the limit (ulimit -n) to 128 or more.`,
      );
    },
  );

  test('on any free port skips a port that is free on one address only', async (context) => {
    needsIpv6(context);
    let occupied = 0;
    const server = createServer();
    // As soon as the first port is known, another program listens to it on the other address.
    server.once('listening', () => {
      occupied = (server.address() as AddressInfo).port;
      void occupy('::1', occupied);
    });
    const { servers, port } = await listening('localhost', 0, server);
    expect(servers).toHaveLength(2);
    expect(port).not.toBe(occupied);
  });

  describe.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT'])(
    'on a machine with IPv4 only (%s)',
    (code) => {
      beforeEach(() => {
        const { listen: real } = Server.prototype;
        const spy = vi.spyOn(Server.prototype, 'listen');
        spy.mockImplementation(function (this: Server, options: unknown) {
          const { host } = options as { host: string };
          if (!host.includes(':')) return Reflect.apply(real, this, [options]);
          const error = Object.assign(new Error(), { code });
          setImmediate(() => this.emit('error', error));
          return this;
        });
      });

      test.each([
        ['localhost', '127.0.0.1'],
        ['::', '0.0.0.0'],
      ])('%s becomes %s', async (host, address) => {
        const { servers, port } = await listening(host, 0);
        expect(servers.map((server) => server.address())).toEqual([
          { address, family: 'IPv4', port },
        ]);
        expect(port).toBeGreaterThan(0);
      });

      test('::1 fails because there is no such address', async () => {
        await expect(listening('::1', 0)).rejects.toMatchObject({
          message: expect.stringMatching(
            /no such address\. Set THE_HOST to one of its addresses\.$/,
          ),
        });
      });
    },
  );
});
