import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { times } from './scale.ts';
import { startSubject } from './subject.ts';

const CLIENTS = times(3000, 100);
const WAIT = 'GET /requests?waitFor=1&timeout=600000 HTTP/1.1\r\nHost: localhost\r\n\r\n';

test('clients that reset their connection while they wait for requests leave nothing held', {
  timeout: 300_000,
}, async () => {
  const subject = startSubject();
  const { controlUrl } = await subject.ask<{ controlUrl: string }>('start', { control: true });
  await fetch(`${controlUrl}/requests`, { headers: { connection: 'close' } });
  const before = await subject.measure();
  const timers = async () => (await subject.measure()).resources.filter((it) => it === 'Timeout');
  const port = Number(new URL(controlUrl).port);
  const sockets: Socket[] = [];
  while (sockets.length < CLIENTS) {
    // As many as the system queues for a server that is busy.
    const some = Array.from({ length: 100 }, () => connect({ port, host: '127.0.0.1' }));
    for (const socket of some) socket.on('error', () => {}).write(WAIT);
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    sockets.push(...some);
  }
  await expect
    .poll(async () => (await timers()).length, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(CLIENTS);
  for (const socket of sockets) socket.resetAndDestroy();
  await expect
    .poll(() => subject.measure(), { timeout: 60_000 })
    .toMatchObject({
      descriptors: before.descriptors,
      resources: before.resources,
      warnings: [],
    });
});
