import { mkdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectMomoMock } from '../../src/index.ts';
import type { MomoMock } from '../../src/library/momo-mock.ts';
import { getBalance } from '../library/client.ts';
import { FREE_PORTS, spawnCommand, usedFolder } from '../support/command.ts';

/** More than its descriptors, fewer than those of the test. */
const CLIENTS = 150;

/** Clients that connect and stay, until they or the mock end it. */
function crowd({ url }: MomoMock) {
  const open = new Set<Socket>();
  for (let count = 0; count < CLIENTS; count++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  }
  const leave = () => open.forEach((socket) => void socket.destroy());
  onTestFinished(leave);
  return { open, leave };
}

describe('a mock that may have few files open', () => {
  test('serves who is connected, says once that it is full, and takes others when there is room', async ({
    skip,
  }) => {
    skip(process.platform !== 'linux', 'this is not Linux');
    const cwd = await usedFolder();
    await mkdir(join(cwd, 'fixtures/momo'), { recursive: true });
    const file = join(cwd, 'fixtures/momo/balance.get.json');
    await writeFile(file, '{"v":0}');
    const spawned = await spawnCommand(FREE_PORTS, { cwd, openFiles: 100 });
    await using mock = await connectMomoMock((await spawned.ready).controlUrl ?? '');
    const said = () =>
      [...spawned.output().matchAll(/connection to the service: (\d+) are/g)].map(([, n]) => n);
    const { url, ca, apikey, agent } = mock;
    const ask = () => getBalance({ url, ca, apikey, agent });
    const askAnew = () => getBalance({ url, ca, apikey });
    expect(await ask()).toEqual({ v: 0 });

    for (const round of [1, 2]) {
      const { open, leave } = crowd(mock);
      await expect.poll(said).toHaveLength(round);
      // The one that asks is open, too.
      await expect.poll(() => open.size).toBe(Number(said()[round - 1]) - 1);
      await expect(fetch(`${mock.controlUrl}/health`)).resolves.toMatchObject({ status: 200 });
      await writeFile(file, `{"v":${round}}`);
      await expect.poll(ask).toEqual({ v: round });
      expect(said()).toHaveLength(round);
      leave();
      // A connection of its own, which had no room before.
      await expect.poll(() => askAnew().catch(() => undefined)).toEqual({ v: round });
    }
    expect(await ask()).toEqual({ v: 2 });
  });
});
