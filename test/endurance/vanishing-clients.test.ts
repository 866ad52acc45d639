import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { control } from '../support/client.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { connectMomoMock, type MomoMock } from '../support/momo-mock.ts';
import { openTcp } from '../support/raw-connection.ts';
import { times } from './scale.ts';
import { type Holding, type Subject, startSubject } from './subject.ts';

const HOUR = 3_600_000;
const CLIENTS = times(100, 5);
const WAITS = times(3000, 100);
const GET = 'GET /momo/balance?apikey=momo_test_key HTTP/1.1\r\nHost: x\r\n\r\n';
const POST = GET.replace('GET', 'POST').replace('Host: x', 'Host: x\r\nContent-Length: 9000000');
const WAIT = 'GET /requests?waitFor=1&timeout=600000 HTTP/1.1\r\nHost: localhost\r\n\r\n';

const CASES = [
  ['in a delay', { delay: HOUR }, GET],
  ['in a dribble', { fault: { type: 'dribble', duration: HOUR }, body: { a: 'long one' } }, GET],
  ['in a hang', { fault: 'hang' }, GET],
  ['in a large body of its own', undefined, POST],
  ['in a large response', undefined, GET.repeat(4)],
] as const;

/** One mock for all cases, as starting one takes the longest. */
let subject: Subject;
let mock: MomoMock;

beforeAll(async () => {
  const ends: (() => unknown)[] = [];
  const fixturesDir = temporaryFolder((end) => ends.push(end));
  // Its response is larger than the buffers of a connection.
  writeFiles(fixturesDir, { 'momo/balance.get.json': { large: 'x'.repeat(9_500_000) } });
  subject = startSubject((end) => ends.push(end));
  // A scripted response counts with its body, so the journal has to be large.
  const limits = { shutdownTimeout: HOUR, clientTimeout: 20_000, journalBytes: 1_073_741_824 };
  const options = { control: true, fixturesDir, ...limits };
  mock = await connectMomoMock(await subject.ask('start', options));
  return async () => {
    await mock.close();
    for (const end of ends) end();
  };
});

const openTls = () => connect({ socket: openTcp(mock.url), servername: 'localhost', ca: mock.ca });

/** Opens so many connections, as many at once as the system queues for a server that is busy. */
async function open(count: number, one: () => Socket, event: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const length = Math.min(100, count - sockets.length);
    const some = Array.from({ length }, () => one().on('error', () => {}));
    await Promise.all(some.map((socket) => once(socket, event)));
    sockets.push(...some);
  }
  return sockets;
}

/** Waits until the mock holds what it held before. */
async function letGo({ resources, descriptors }: Holding) {
  const held = { resources, descriptors, warnings: [] };
  await expect.poll(() => subject.measure()).toMatchObject(held);
}

// The mock is closed in the last test.
describe('a mock whose clients vanish', { shuffle: false }, () => {
  it.each(CASES)('holds nothing for clients that close %s', async (_when, response, bytes) => {
    await mock.reset();
    const before = await subject.measure();
    if (response !== undefined) await mock.respondWith({ ...response, times: CLIENTS });
    const sockets = await open(CLIENTS, openTls, 'secureConnect');
    for (const socket of sockets) socket.write(bytes);
    const { json } = await control(mock, `GET /requests?waitFor=${CLIENTS}`);
    const { requests, dropped } = json as { requests: unknown[]; dropped: number };
    expect(requests.length + dropped).toBeGreaterThanOrEqual(CLIENTS);
    for (const socket of sockets) socket.destroy();
    await letGo(before);
  });

  it('holds nothing for clients that reset their connection while they wait for requests', async () => {
    await mock.reset();
    const before = await subject.measure();
    const sockets = await open(WAITS, () => openTcp(mock.controlUrl), 'connect');
    for (const socket of sockets) socket.write(WAIT);
    const timers = async () =>
      (await subject.measure()).resources.filter((it) => it === 'Timeout').length;
    await expect.poll(timers).toBeGreaterThanOrEqual(WAITS);
    // A client that ends only its own side may still read the response.
    for (const socket of sockets) socket.resetAndDestroy();
    await letGo(before);
  });

  it('closes immediately, without a warning', async () => {
    // Had it kept any of them, it would wait for an hour.
    await subject.ask('close');
    expect((await subject.measure()).warnings).toEqual([]);
  });
});
