import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectMomoMock } from '../../src/index.ts';
import type { MomoMock } from '../../src/library/momo-mock.ts';
import { isLong, times } from './scale.ts';
import { type Subject, startSubject } from './subject.ts';

const HOUR = 3_600_000;
const CLIENTS = times(100, 5);
const GET = 'GET /momo/balance?apikey=momo_test_key HTTP/1.1\r\nHost: x\r\n\r\n';
const POST = GET.replace('GET', 'POST').replace('Host: x', 'Host: x\r\nContent-Length: 9000000');

const WAYS: Record<string, (socket: TLSSocket) => void> = {
  close: (socket) => void socket.destroy(),
  // What the mock sees of it is the same; test/hostile/half-closed.test.ts shows it.
  ...(isLong && { 'half-close': (socket: TLSSocket) => void socket.end() }),
};

/** A folder of fixtures whose answer is larger than what the buffers of a connection hold. */
async function largeAnswer(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'momo-large-'));
  await mkdir(join(dir, 'momo'));
  const body = JSON.stringify({ large: 'x'.repeat(9_500_000) });
  await writeFile(join(dir, 'momo/balance.get.json'), body);
  return dir;
}

async function open(mock: MomoMock): Promise<TLSSocket> {
  const socket = connect({ port: Number(new URL(mock.url).port), host: 'localhost', ca: mock.ca });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

const CASES = [
  ['in a delay', { delay: HOUR }, GET],
  ['in a dribble', { fault: { type: 'dribble', duration: HOUR }, body: { a: 'long one' } }, GET],
  ['in a hang', { fault: 'hang' }, GET],
  ['in a large body of its own', undefined, POST],
  ['in a large answer', undefined, GET.repeat(4)],
] as const;

/** One mock for all cases, as starting one takes the longest. */
let subject: Subject;
let mock: MomoMock;

beforeAll(async () => {
  subject = startSubject({ own: true });
  const fixturesDir = await largeAnswer();
  const { controlUrl } = await subject.ask<{ controlUrl: string }>('start', {
    control: true,
    fixturesDir,
    shutdownTimeout: HOUR,
    clientTimeout: 2000,
  });
  mock = await connectMomoMock(controlUrl);
  return async () => {
    await mock.close();
    subject.child.kill('SIGKILL');
    await rm(fixturesDir, { recursive: true });
  };
});

// The mock is closed in the last test.
describe('clients vanish', { shuffle: false }, () => {
  test.each(CASES.flatMap((one) => Object.keys(WAYS).map((way) => [way, ...one] as const)))(
    'clients that %s %s leave nothing held',
    async (way, _name, response, bytes) => {
      await mock.reset();
      const before = await subject.measure();
      if (response !== undefined) await mock.respondWith({ ...response, times: CLIENTS });
      const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => open(mock)));
      for (const socket of sockets) socket.write(bytes);
      expect(await mock.requests({ waitFor: CLIENTS })).not.toHaveLength(0);
      for (const socket of sockets) WAYS[way]?.(socket);
      await expect
        .poll(async () => (await subject.measure()).resources, { timeout: 20_000 })
        .toEqual(before.resources);
      for (const socket of sockets) socket.destroy();
    },
  );

  test('and then the mock closes immediately, with no warning', async () => {
    // Had it kept any of them, it would wait for an hour.
    await subject.ask('close');
    expect((await subject.measure()).warnings).toEqual([]);
  });
});
