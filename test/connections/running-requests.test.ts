import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { gate } from '../support/gate.ts';
import { startServer } from '../support/mock.ts';
import { connectMomoMock } from '../support/momo-mock.ts';
import {
  openConnection,
  openTcp,
  type RawConnection,
  statusesIn,
} from '../support/raw-connection.ts';

const HOST = 'api.example.com';
const HELD = 'GET /momo/held?apikey=good HTTP/1.1\r\nHost: x\r\n';
const GET = HELD.replace('held', 'balance');
const POST = `${GET.replace('GET', 'POST')}Content-Length: 4\r\n`;
const CONTINUE = 'Expect: 100-continue\r\n';
const GARBAGE = 'nonsense\r\n\r\n';
const HOUR = 3_600_000;

/** A mock whose responses to `GET /momo/held` wait until they are released. */
async function start(settings: Record<string, string> = {}) {
  const { open: release, opened: released } = gate();
  const own = { TLS_HOSTS: HOST, SHUTDOWN_TIMEOUT: `${HOUR}`, API_KEYS: 'good' };
  const mock = await startServer({}, { ...own, ...settings });
  let held = 0;
  await mock.handle('GET /momo/held', async () => {
    held++;
    await released;
    return { status: 503 };
  });
  const { requests, respondWith, setTls, verifyUsed } = await connectMomoMock(`${mock.controlUrl}`);
  /** Of each request that has ended, what the log says. */
  const logged = () =>
    mock.records
      .filter(({ msg }) => msg === 'request')
      .map(({ status = null, aborted = false }) => ({ status, aborted }));
  const controls = { requests, respondWith, setTls, verifyUsed };
  return Object.assign(mock, { ...controls, release, released, held: () => held, logged });
}
type Started = Awaited<ReturnType<typeof start>>;

async function openTunnel(mock: Started): Promise<RawConnection> {
  const socket = connect(Number(new URL(`${mock.controlUrl}`).port), '127.0.0.1');
  socket.write(`CONNECT ${HOST}:443 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  expect(`${await once(socket, 'data')}`).toMatch(/^HTTP\/1\.1 200 /);
  return await openConnection(mock, { socket, servername: HOST });
}

const REQUESTS = [
  {
    name: 'a request that expects 100-continue',
    bytes: `${HELD}${CONTINUE}\r\n`,
    waitFor: 1,
    statuses: [100, 503],
  },
  {
    name: 'a request that expects something else',
    bytes: `${HELD}Expect: x\r\n\r\n`,
    waitFor: 1,
    statuses: [503],
  },
  {
    name: 'pipelined requests',
    bytes: `${HELD}\r\n${GET}\r\n${GET}\r\n`,
    waitFor: 3,
    statuses: [503, 200, 200],
  },
  {
    name: 'pipelined requests that expect something',
    bytes: `${HELD}\r\n${GET}${CONTINUE}\r\n${GET}Expect: x\r\n\r\n`,
    waitFor: 3,
    statuses: [503, 200, 200],
  },
];
const CASES = REQUESTS.flatMap((request) => [
  { ...request, open: openConnection },
  { ...request, name: `${request.name} after CONNECT`, open: openTunnel },
]);

/** What happens while the requests run; resolves when it has begun. */
const EVENTS: [string, behind: string, begin: (mock: Started) => Promise<unknown>][] = [
  ['a stop', '', async (mock) => void mock.close()],
  ['a TLS switch', '', (mock) => mock.setTls('expired')],
  ['broken input after them', GARBAGE, async () => {}],
  ['broken input after them, and a stop,', GARBAGE, async (mock) => void mock.close()],
  ['broken input after them, and a TLS switch,', GARBAGE, (mock) => mock.setTls('expired')],
];

describe.each(EVENTS)('%s', (_event, behind, begin) => {
  const last = behind === '' ? [] : [400];

  it.each(CASES)('lets $name finish, then the connection ends', async (row) => {
    const { bytes, waitFor, statuses, open } = row;
    const mock = await start();
    const socket = await open(mock);
    socket.write(bytes + behind);
    await mock.requests({ waitFor });
    await begin(mock);
    mock.release();
    await once(socket, 'end');
    expect(statusesIn(socket.received())).toEqual([...statuses, ...last]);
  });

  it('receives a body that the client sends after 100 Continue', async () => {
    const mock = await start();
    const socket = await openConnection(mock);
    socket.write(`${HELD}\r\n${POST}${CONTINUE}\r\n`);
    await mock.requests({ waitFor: 2 });
    await begin(mock);
    mock.release();
    await expect.poll(() => statusesIn(socket.received())).toContain(100);
    socket.write(`body${behind}`);
    await once(socket, 'end');
    expect(statusesIn(socket.received())).toEqual([503, 100, 405, ...last]);
  });

  it('ends with the connection of a client that goes away', async () => {
    const mock = await start();
    const socket = await openConnection(mock);
    socket.write(`${HELD}\r\n${HELD}\r\n${behind}`);
    await mock.requests({ waitFor: 2 });
    await begin(mock);
    socket.destroy();
    await mock.close();
    const gone = { status: null, aborted: true };
    expect(mock.logged().slice(0, 2)).toEqual([gone, gone]);
  });
});

it('a stop responds to a request that arrives behind a running one', async () => {
  const mock = await start();
  const socket = await openConnection(mock);
  socket.write(`${HELD}\r\n`);
  await mock.requests({ waitFor: 1 });
  const closed = mock.close();
  socket.write(`${HELD}\r\n`);
  await expect.poll(mock.held).toBe(2);
  mock.release();
  await once(socket, 'end');
  expect(statusesIn(socket.received())).toEqual([503, 503]);
  await closed;
});

it.each([
  ['a request', `${GET}\r\n`],
  ['a request that expects 100-continue', `${POST}${CONTINUE}\r\nbody`],
  ['a request that expects something else', `${GET}Expect: x\r\n\r\n`],
  ['a broken request', GARBAGE],
])('a TLS switch does not run %s that arrives after it ended the connection', async (_, bytes) => {
  const mock = await start();
  const halfOpen = { socket: openTcp(mock.url), servername: 'localhost' };
  const client = await openConnection(mock, halfOpen);
  client.write(`${GET}\r\n`);
  await expect.poll(() => statusesIn(client.received())).toEqual([200]);
  await mock.respondWith({ status: 503, times: 'always' });
  const ended = once(client, 'end');
  const switched = mock.setTls('expired');
  await ended;
  client.write(bytes);
  await switched;
  expect(statusesIn(client.received())).toEqual([200]);
  expect(mock.logged()).toEqual([{ status: 200, aborted: false }]);
  expect(await mock.requests()).toHaveLength(1);
});

it('a response after a TLS switch says that it is the last one, and a request behind it does not run', async () => {
  const mock = await start();
  await mock.handle('GET /momo/late', async () => {
    await mock.released;
    return { body: 'late', fault: { type: 'dribble', duration: 500 } };
  });
  const client = await openConnection(mock);
  client.write(`${GET.replace('balance', 'late')}\r\n`);
  await mock.requests({ waitFor: 1 });
  await mock.setTls('expired');
  mock.release();
  await expect
    .poll(client.received)
    .toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*Connection: close\r\n/);
  client.write(`${GET}\r\n`);
  await once(client, 'end');
  expect(client.received()).toMatch(/\r\n\r\nlate$/);
  expect(await mock.requests()).toMatchObject([{ status: 200, aborted: false }]);
});

it('a request behind a response with connection: close does not run', async () => {
  const mock = await start();
  await mock.respondWith([{ status: 502, headers: { connection: 'close' } }, { status: 503 }]);
  const client = await openConnection(mock);
  client.write(`${GET}\r\n${GET}\r\n`);
  await once(client, 'end');
  expect(statusesIn(client.received())).toEqual([502]);
  expect(await mock.requests()).toMatchObject([{ status: 502, aborted: false }]);
  await expect(mock.verifyUsed()).rejects.toThrow('any operation: 1 of 1 left of {"status":503}');
});

it('a stop does not wait for a hang, or for a delayed or dribbled response of a client that left', async () => {
  const mock = await start();
  await mock.respondWith([
    { fault: 'hang', times: 2 },
    { delay: HOUR },
    { operation: 'GET /momo/balance', body: 'slow', fault: { type: 'dribble', duration: HOUR } },
  ]);
  const clients: RawConnection[] = [];
  for (let waitFor = 1; waitFor <= 4; waitFor++) {
    const client = await openConnection(mock);
    client.write(`${GET}\r\n`);
    await mock.requests({ waitFor });
    clients.push(client);
  }
  const [first, ...others] = clients;
  for (const client of others) client.destroy();
  await mock.requests({ aborted: true, waitFor: 3 });
  // The first client still waits for its response.
  const closed = once(first as RawConnection, 'close');
  await mock.close();
  await closed;
});

const KEPT_WAITING = [
  ['a delay', { delay: HOUR }, null],
  ['a dribble', { fault: { type: 'dribble', duration: HOUR } }, 200],
  ['a hang', { fault: 'hang' }, null],
] as const;

it.each(KEPT_WAITING)('a stop immediately cuts off %s', async (_what, response, status) => {
  const mock = await start();
  await mock.respondWith(response);
  const client = await openConnection(mock);
  client.write(`${GET}\r\n`);
  await mock.requests({ ...(status !== null && { status }), waitFor: 1 });
  await mock.close();
  await expect.poll(() => client.closed).toBe(true);
  expect(mock.logged()).toEqual([{ status, aborted: true }]);
});

it.each(KEPT_WAITING)(
  'a stop cuts off %s of a handler that ends after the stop began',
  async (...row) => {
    const [, response, status] = row;
    const mock = await start();
    await mock.handle('GET /momo/late', async () => {
      await mock.released;
      return response;
    });
    const client = await openConnection(mock);
    client.write(`${GET.replace('balance', 'late')}\r\n`);
    await mock.requests({ waitFor: 1 });
    const closed = mock.close();
    mock.release();
    await closed;
    expect(mock.logged()).toEqual([{ status, aborted: true }]);
  },
);

it('a stop waits for a handler before a delay on the connection, and cuts off one behind it', async () => {
  const mock = await start();
  await mock.respondWith({ delay: HOUR, operation: 'GET /momo/balance', times: 'always' });
  const clients = [await openConnection(mock), await openConnection(mock)];
  clients[0]?.write(`${HELD}\r\n${GET}\r\n`);
  clients[1]?.write(`${GET}\r\n${HELD}\r\n`);
  await mock.requests({ waitFor: 4 });
  await expect.poll(mock.held).toBe(2);
  const closed = mock.close();
  await once(clients[1] as RawConnection, 'close');
  mock.release();
  await closed;
  expect(clients.map((client) => statusesIn(client.received()))).toEqual([[503], []]);
});

it('a stop cuts off a handler that is still running at the deadline', async () => {
  const mock = await start({ SHUTDOWN_TIMEOUT: '1' });
  const client = await openConnection(mock);
  client.write(`${HELD}\r\n`);
  await expect.poll(mock.held).toBe(1);
  await mock.close();
  await expect.poll(() => client.closed).toBe(true);
  expect(mock.logged()).toEqual([{ status: null, aborted: true }]);
});
