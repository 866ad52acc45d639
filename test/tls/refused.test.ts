import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask } from '../support/client.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { startMock, startServer, type TestMock } from '../support/mock.ts';

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const;
type Version = (typeof VERSIONS)[number];

/** What the journal has of a client that left, maybe because of the certificate. */
const LEFT = {
  method: null,
  status: null,
  reason: 'tls-handshake',
  tls: 'wrong-host',
  hint: 'The client finished the TLS handshake and left without a request. It may have refused the certificate, which is wrong-host on purpose. It may also have only connected.',
};

interface Client {
  readonly socket: TLSSocket;
  /** The connection below TLS. */
  readonly raw: Socket;
  readonly closed: Promise<unknown>;
}

/** A client that has finished its handshake, whatever the certificate is. */
async function shakeHands({ url }: { readonly url: string }, version?: Version): Promise<Client> {
  const { hostname: host, port } = new URL(url);
  const raw = connectTcp(Number(port), host);
  const versions = { minVersion: version ?? 'TLSv1.2', maxVersion: version ?? 'TLSv1.3' } as const;
  const socket = connect({ socket: raw, ...versions, rejectUnauthorized: false });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const closed = once(raw, 'close');
  // A ticket says that the mock has finished the handshake, too.
  await Promise.all([once(socket, 'secureConnect'), once(socket, 'session')]);
  // During these events, Node would spoil what is written.
  await setImmediate();
  return { socket, raw, closed };
}

/** The reasons in the journal, after another request, which follows everything that happened before. */
async function reasonsIn(mock: TestMock) {
  await ask(mock, '/momo/balance', { rejectUnauthorized: false });
  return (await mock.requests()).map(({ reason }) => reason);
}

const WAYS: Readonly<Record<string, (client: Client) => unknown>> = {
  'closes TLS': ({ socket }) => socket.end(),
  'closes only TCP': ({ raw }) => raw.end(),
  'closes at once': ({ socket }) => socket.destroy(),
  'resets the connection': ({ raw }) => raw.resetAndDestroy(),
};
const LEAVES = VERSIONS.flatMap((version) =>
  Object.entries(WAYS).map(([way, leave]) => ({ version, way, leave })),
);

describe('a client that leaves after the handshake', () => {
  it.each(LEAVES)('and $way, in $version, is in the journal once', async ({ version, leave }) => {
    const mock = await startMock();
    await mock.setTls('wrong-host');
    const client = await shakeHands(mock, version);
    leave(client);
    await client.closed;
    expect(await mock.requests({ waitFor: 1 })).toMatchObject([LEFT]);
    expect(await reasonsIn(mock)).toEqual(['tls-handshake', null]);
  });

  it.each(LEAVES)('and $way, in $version, is not while the certificate is right', async (row) => {
    const mock = await startMock();
    const client = await shakeHands(mock, row.version);
    row.leave(client);
    await client.closed;
    expect(await reasonsIn(mock)).toEqual([null]);
  });

  it('is in the journal with the mode in which it connected', async () => {
    const mock = await startMock();
    await mock.setTls('wrong-host');
    const client = await shakeHands(mock);
    client.socket.end();
    await client.closed;
    await mock.requests({ waitFor: 1 });
    await mock.setTls('expired');
    const other = await shakeHands(mock);
    other.socket.end();
    const modes = (await mock.requests({ waitFor: 2 })).map(({ tls }) => tls);
    expect(modes).toEqual(['wrong-host', 'expired']);
  });
});

it.each([
  ['the beginning of a request', 'GET /mo', 'bad-request'],
  ['a whole request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'key-missing'],
])('a client that sends %s has one entry, about that', async (_what, bytes, reason) => {
  const mock = await startMock();
  await mock.setTls('wrong-host');
  const client = await shakeHands(mock);
  client.socket.resume().end(bytes);
  await client.closed;
  expect(await mock.requests({ waitFor: 1 })).toMatchObject([{ reason }]);
  expect(await reasonsIn(mock)).toEqual([reason, null]);
});

it('a client that breaks TLS after the handshake has one entry, about that', async () => {
  const mock = await startMock();
  await mock.setTls('wrong-host');
  const client = await shakeHands(mock);
  // An alert that is not encrypted.
  client.raw.write(Buffer.from([21, 3, 3, 0, 2, 2, 42]));
  await client.closed;
  expect(await mock.requests({ waitFor: 1 })).toMatchObject([
    {
      reason: 'tls-handshake',
      tls: 'wrong-host',
      hint: expect.stringContaining('Make the client'),
    },
  ]);
  expect(await reasonsIn(mock)).toEqual(['tls-handshake', null]);
});

describe('a connection that the mock closes is not in the journal', () => {
  it('when the certificate changes', async () => {
    const mock = await startMock();
    await mock.setTls('wrong-host');
    const client = await shakeHands(mock);
    client.socket.resume();
    await mock.setTls('normal');
    await client.closed;
    expect(await reasonsIn(mock)).toEqual([null]);
  });

  it('when it stops', async () => {
    const mock = await startServer();
    await mock.tls.set('wrong-host');
    const client = await shakeHands(mock);
    client.socket.resume();
    await mock.close();
    await client.closed;
    expect(mock.records.filter(({ msg }) => msg === 'request')).toEqual([]);
  });

  it('when it sent nothing for too long, except with the 408', async () => {
    // Longer than a handshake takes, which it limits too.
    const mock = await startMock({}, { clientTimeout: 5000 });
    await mock.setTls('wrong-host');
    const client = await shakeHands(mock);
    client.socket.resume();
    await client.closed;
    expect(await reasonsIn(mock)).toEqual(['bad-request', null]);
  });
});

it('curl refuses a wrong host after the handshake, and has one entry', async (context) => {
  needs(context, 'curl');
  const mock = await startMock();
  await mock.setTls('wrong-host');
  const file = join(temporaryFolder(), 'ca.pem');
  writeFileSync(file, mock.ca);
  for (const version of ['1.2', '1.3']) {
    const args = ['-sS', '--cacert', file, '--tls-max', version, `${mock.url}/momo/balance`];
    await expect(promisify(execFile)('curl', args)).rejects.toMatchObject({ code: 60 });
    expect(await mock.requests({ waitFor: 1 })).toMatchObject([LEFT]);
    expect(await reasonsIn(mock)).toEqual(['tls-handshake', null]);
    await mock.clearRequests();
  }
});
