import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import {
  emptyFolder,
  FREE_PORTS,
  type Spawned,
  signalUntilEnded,
  spawnCommand,
  usedFolder,
} from '../support/command.ts';

async function open(port: number, file: string | null): Promise<TLSSocket> {
  const ca = readFileSync(file ?? '', 'utf8');
  const socket = connect({ port, host: 'localhost', ca });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** A connection of each idle kind: silent, only shaken hands, and kept alive after an answer. */
async function idleConnections({ ready }: Spawned): Promise<Promise<unknown>[]> {
  const { port, certificate } = await ready;
  const silent = connectPlain(port, '127.0.0.1');
  await once(silent, 'connect');
  const shaken = await open(port, certificate);
  const kept = await open(port, certificate);
  kept.write('GET /momo/balance?apikey=momo_test_key HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(kept, 'data');
  const halfAsked = await open(port, certificate);
  halfAsked.write('GET /momo/balance?apikey=momo_te');
  return [silent, shaken, kept, halfAsked].map((socket) => {
    // Whether by an end or by a reset: it is closed.
    socket.on('error', () => {});
    socket.resume();
    return new Promise((done) => socket.once('close', done));
  });
}

describe('a mock that is stopped', () => {
  test('by SIGTERM closes idle connections and ends with 0', async () => {
    // The deadline is far away: if anything waited for it, so would this test.
    const spawned = await spawnCommand([...FREE_PORTS, '--shutdown-timeout', '3600000']);
    const closed = await idleConnections(spawned);
    spawned.child.kill('SIGTERM');
    await Promise.all(closed);
    expect(await spawned.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  test('while it starts, ends with 0 too', async () => {
    const spawned = await spawnCommand(FREE_PORTS, { cwd: await emptyFolder() });
    // Made on the way: a certificate is on its way into it.
    const certs = join(spawned.cwd, 'certs');
    await expect.poll(() => existsSync(certs), { interval: 1 }).toBe(true);
    spawned.child.kill('SIGTERM');
    expect(await spawned.ended).toMatchObject({ code: 0, signal: null });
  });

  test('twice, ends immediately, and shells see by which signal', async () => {
    const { child, ended } = await spawnWithRunningAnswer('3600000');
    signalUntilEnded(child, 'SIGTERM');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  test('by two signals at the same moment, as npm passes on a Ctrl-C, takes them for one', async () => {
    const { child, ended, socket, output } = await spawnWithRunningAnswer('3600000');
    // Both are there when it runs again.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) child.kill(signal);
    await refused(output);
    expect((await text(socket)).endsWith('"}')).toBe(true);
    expect(await ended).toMatchObject({ code: 0 });
  });

  test('cuts at the deadline what does not finish', async () => {
    const { child, ended } = await spawnWithRunningAnswer('50');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  });

  test('lets a running answer finish, and closes its connection then', async () => {
    const { child, ended, socket, output } = await spawnWithRunningAnswer('3600000');
    child.kill('SIGTERM');
    await refused(output);
    const reply = await text(socket);
    expect(reply.length).toBeGreaterThan(ANSWERS * LARGE);
    expect(reply.endsWith('"}')).toBe(true);
    expect(await ended).toMatchObject({ code: 0 });
  });

  test('whose output nobody reads any more, ends all the same', async () => {
    const spawned = await spawnCommand(FREE_PORTS);
    await spawned.ready;
    spawned.child.stdout.destroy();
    spawned.child.stderr.destroy();
    spawned.child.kill('SIGTERM');
    const [code] = await once(spawned.child, 'exit');
    expect(code).toBe(0);
  });
});

/** Together more than the buffers of a connection hold: a client that does not read keeps them running. */
const LARGE = 9_500_000;
const ANSWERS = 4;

/** A mock in the middle of an answer, and the client's socket, which is not being read. */
async function spawnWithRunningAnswer(timeout: string): Promise<Spawned & { socket: TLSSocket }> {
  const cwd = await usedFolder();
  await mkdir(join(cwd, 'fixtures/momo'), { recursive: true });
  const body = JSON.stringify({ large: 'x'.repeat(LARGE) });
  await writeFile(join(cwd, 'fixtures/momo/balance.get.json'), body);
  const spawned = await spawnCommand([...FREE_PORTS, '--shutdown-timeout', timeout], { cwd });
  const { port, certificate } = await spawned.ready;
  const socket = await open(port, certificate);
  const ask = 'GET /momo/balance?apikey=momo_test_key HTTP/1.1\r\nHost: x\r\n\r\n';
  socket.write(ask.repeat(ANSWERS));
  await once(socket, 'readable');
  return { ...spawned, socket };
}

/** Waits until no new connection is taken any more: the stop has begun. */
async function refused(output: Spawned['output']): Promise<void> {
  const { port } = JSON.parse(output().split('\n')[0] ?? '');
  await expect.poll(() => isRefused(port)).toBe(true);
}

function isRefused(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connectPlain(port, '127.0.0.1', () => {
      socket.destroy();
      done(false);
    });
    socket.on('error', () => done(true));
  });
}
