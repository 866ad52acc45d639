import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ask } from '../support/client.ts';
import { FREE_PORTS, spawnCommand, usedFolder } from '../support/command.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { connectMomoMock } from '../support/momo-mock.ts';

/** More than its descriptors, fewer than those of the test. */
const CLIENTS = 150;

/** Clients that connect and stay, until they or the mock end it. */
function crowd(port: number) {
  const open = new Set<Socket>();
  for (let count = 0; count < CLIENTS; count++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    open.add(socket.on('close', () => open.delete(socket)));
  }
  const leave = () => open.forEach((socket) => void socket.destroy());
  onTestFinished(leave);
  return { open, leave };
}

it('a mock at its limit of open files serves connected clients, logs once that it is full, and accepts others when there is room', async ({
  skip,
}) => {
  skip(process.platform !== 'linux', 'this is not Linux');
  const cwd = usedFolder();
  const serve = (v: number) =>
    writeFiles(join(cwd, 'fixtures'), { 'momo/balance.get.json': { v } });
  serve(0);
  const spawned = await spawnCommand(FREE_PORTS, { cwd, openFiles: 100 });
  await using mock = await connectMomoMock((await spawned.ready).controlUrl ?? '');
  const said = () => [...spawned.output().matchAll(/a connection to the service: the limit/g)];
  const askOnce = async () => (await ask(mock, undefined, { agent: mock.agent })).json;
  const askAnew = async () => (await ask(mock)).json;
  expect(await askOnce()).toEqual({ v: 0 });

  for (const round of [1, 2]) {
    const { open, leave } = crowd(Number(new URL(mock.url).port));
    await expect.poll(said).toHaveLength(round);
    await expect.poll(() => open.size).toBeLessThan(100 - 48);
    await expect(fetch(`${mock.controlUrl}/health`)).resolves.toMatchObject({ status: 200 });
    serve(round);
    await expect.poll(askOnce).toEqual({ v: round });
    expect(said()).toHaveLength(round);
    leave();
    // A connection of its own, which had no room before.
    await expect.poll(() => askAnew().catch(() => undefined)).toEqual({ v: round });
  }
  expect(await askOnce()).toEqual({ v: 2 });
});

it('a mock with few open files keeps most of them for the service when the control API is full', async ({
  skip,
}) => {
  skip(process.platform !== 'linux', 'this is not Linux');
  const spawned = await spawnCommand(FREE_PORTS, { openFiles: 100 });
  await using mock = await connectMomoMock((await spawned.ready).controlUrl ?? '');
  const { open, leave } = crowd(Number(new URL(`${mock.controlUrl}`).port));
  await expect
    .poll(spawned.output)
    .toContain('Failed to accept a connection to the control API: the limit');
  await expect.poll(() => open.size).toBeLessThan((100 - 48) / 2);
  expect((await ask(mock)).status).toBe(200);
  leave();
  await expect.poll(() => mock.requests().catch(() => [])).toHaveLength(1);
});
