import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import { ask, control } from '../support/client.ts';
import {
  FREE_PORTS,
  type Ready,
  type Spawned,
  signalUntilEnded,
  spawnCommand,
  usedFolder,
} from '../support/command.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { serveHere } from './served.ts';

const HOUR = '3600000';
const GET = 'GET /momo/balance?apikey=momo_test_key HTTP/1.1\r\nHost: x\r\n\r\n';
/** Together more than the buffers of a connection hold: they run until the client reads. */
const LARGE = 9_500_000;
const RESPONSES = 4;

async function open({ port, certificate }: Ready): Promise<TLSSocket> {
  const ca = readFileSync(certificate ?? '', 'utf8');
  const socket = connect({ port, host: 'localhost', ca }).on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** A mock in the middle of a response, and the client's socket, which is not being read. */
async function spawnWithRunningResponse(timeout: string): Promise<Spawned & { socket: TLSSocket }> {
  const cwd = usedFolder();
  writeFiles(cwd, { 'fixtures/momo/balance.get.json': { large: 'x'.repeat(LARGE) } });
  const spawned = await spawnCommand([...FREE_PORTS, '--shutdown-timeout', timeout], { cwd });
  const socket = await open(await spawned.ready);
  socket.write(GET.repeat(RESPONSES));
  await once(socket, 'readable');
  return { ...spawned, socket };
}

/** Waits until no new connection is taken any more: the stop has begun. */
async function refused({ ready }: Spawned): Promise<void> {
  const { port } = await ready;
  const isRefused = () =>
    new Promise((done) => {
      const socket = connectPlain(port, '127.0.0.1', () => done(!socket.destroy()));
      socket.on('error', () => done(true));
    });
  await expect.poll(isRefused).toBe(true);
}

// test/docs/signals.test.ts has each signal, during an endless loop and twice during the start too.
describe('a signal', () => {
  it('that comes twice ends the mock immediately, by that signal', async () => {
    const { child, ended } = await spawnWithRunningResponse(HOUR);
    signalUntilEnded(child, 'SIGTERM');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('that comes twice ends process 1, which signals cannot end, with the exit code of shells', async () => {
    const fixtures = temporaryFolder();
    writeFiles(fixtures, { 'momo/balance.get.js': 'export default () => new Promise(() => {});' });
    const timeouts = ['--shutdown-timeout', HOUR, '--client-timeout', HOUR];
    const mock = await serveHere([...timeouts, '--fixtures-dir', fixtures]);
    const left = new AbortController();
    const asked = ask(mock, '/momo/balance', { signal: left.signal }).catch(() => {});
    await control(mock, 'GET /requests?waitFor=1');
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const ended = mock.stop();
    await expect
      .poll(() => {
        process.emit('SIGTERM', 'SIGTERM');
        return [kill.mock.calls[0], exit.mock.calls[0]];
      })
      .toEqual([[process.pid, 'SIGTERM'], [143]]);
    left.abort();
    await asked;
    await ended;
  });

  it('counts once if it comes twice at the same moment, as when npm forwards a Ctrl-C', async () => {
    const spawned = await spawnWithRunningResponse(HOUR);
    // Both are there when it runs again.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) {
      spawned.child.kill(signal);
    }
    await refused(spawned);
    expect((await text(spawned.socket)).endsWith('"}')).toBe(true);
    expect(await spawned.ended).toMatchObject({ code: 0 });
  });

  it('during startup ends the mock with exit code 0 once it has started', async () => {
    const spawned = await spawnCommand(FREE_PORTS, { cwd: temporaryFolder() });
    // Made on the way: a certificate is on its way into it.
    const certs = join(spawned.cwd, 'certs');
    await expect.poll(() => existsSync(certs), { interval: 1 }).toBe(true);
    spawned.child.kill('SIGTERM');
    expect(await spawned.ended).toMatchObject({ code: 0, signal: null });
  });
});

describe('a stop', () => {
  it('closes idle connections of each kind immediately', async () => {
    // The deadline is far away: if anything waited for it, so would this test.
    const spawned = await spawnCommand([...FREE_PORTS, '--shutdown-timeout', HOUR]);
    const ready = await spawned.ready;
    const silent = connectPlain(ready.port, '127.0.0.1');
    await once(silent, 'connect');
    const shaken = await open(ready);
    const kept = await open(ready);
    kept.write(GET);
    await once(kept, 'data');
    const halfAsked = await open(ready);
    halfAsked.write('GET /momo/balance?apikey=momo_te');
    const closed = [silent, shaken, kept, halfAsked].map((socket) => {
      // Whether by an end or by a reset: it is closed.
      socket.on('error', () => {}).resume();
      return new Promise((done) => socket.once('close', done));
    });
    spawned.child.kill('SIGTERM');
    await Promise.all(closed);
    expect(await spawned.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('lets a running response finish, and then closes its connection', async () => {
    const spawned = await spawnWithRunningResponse(HOUR);
    spawned.child.kill('SIGTERM');
    await refused(spawned);
    const response = await text(spawned.socket);
    expect(response.length).toBeGreaterThan(RESPONSES * LARGE);
    expect(response.endsWith('"}')).toBe(true);
    expect(await spawned.ended).toMatchObject({ code: 0 });
  });

  it('cuts off at the deadline a response that does not finish', async () => {
    const { child, ended } = await spawnWithRunningResponse('50');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  });

  it('does not wait for a response that the mock itself delays', async () => {
    const { child, ready, ended } = await spawnCommand([...FREE_PORTS, '--shutdown-timeout', HOUR]);
    const mock = await ready;
    await control(mock, 'PUT /responses', { body: { delay: Number(HOUR) } });
    const socket = await open(mock);
    socket.write(GET);
    await control(mock, 'GET /requests?waitFor=1');
    child.kill('SIGTERM');
    expect(await text(socket)).toBe('');
    expect(await ended).toMatchObject({ code: 0 });
  });

  it('ends even if nobody reads the output any more', async () => {
    const { ready, child } = await spawnCommand(FREE_PORTS);
    await ready;
    child.stdout.destroy();
    child.stderr.destroy();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
