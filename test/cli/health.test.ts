import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { run } from '../support/command-in-process.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/mock.ts';
import { HEALTH_TIMEOUT_MS } from '../support/program.ts';

const READY = { code: 0, stdout: 'ready\n', stderr: '' };

function flagsFor({ port, controlUrl }: { port: number; controlUrl: string | null }): string[] {
  const control = controlUrl === null ? 'off' : new URL(controlUrl).port;
  return ['health', '--port', `${port}`, '--control-port', control];
}

/** The whole sentence of a mock that is not reached. */
const unreached = (port: number, why: string) => ({
  code: 1,
  stdout: '',
  stderr: `Failed to reach momo-mock on localhost port ${port}: ${why}. Start it, or check --control-port.\n`,
});

/** The same if only the service was asked. */
const unreachedService = (port: number, why: string) => ({
  code: 1,
  stdout: '',
  stderr: `Failed to reach the service of momo-mock on localhost port ${port}: ${why}. Start it, or check --port. --control-port is off, so the control API was not asked.\n`,
});

/** Another program, by its port. */
async function otherProgram(serve: (socket: Socket) => void, ports: readonly number[] = [0]) {
  for (const port of ports) {
    const server = createServer((socket) => serve(socket.on('error', () => {})));
    const failed = once(server, 'error');
    const listening = once(server.listen(port, '127.0.0.1'), 'listening');
    if ((await Promise.race([listening.then(() => undefined), failed])) !== undefined) continue;
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  }
  throw new Error('None of the ports is free.');
}

/** Ports that fetch refuses, as browsers do. */
const REFUSED_BY_FETCH = [6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697];

/** A response of the control API as text. */
function healthResponse(ready: boolean): string {
  const body = JSON.stringify({ ready });
  return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
}

/** Lets the test move the clock of the time limit. */
function fakeTimeout() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('the health command reports ready', () => {
  it('when the mock responds within 10 s', async () => {
    fakeTimeout();
    const port = await otherProgram((socket) => {
      vi.advanceTimersByTime(HEALTH_TIMEOUT_MS - 1);
      socket.end(healthResponse(true));
    });
    expect(await run(['health', '--control-port', `${port}`])).toEqual(READY);
  });

  it('on a port that browsers refuse', async () => {
    const serve = (socket: Socket) => void socket.end(healthResponse(true));
    const port = await otherProgram(serve, REFUSED_BY_FETCH);
    expect(await run(['health', '--control-port', `${port}`])).toEqual(READY);
  });

  it('through the control API, without the keys', async () => {
    const env = { MOMO_MOCK_API_KEYS_FILE: '-' };
    expect(await run(flagsFor(await startServer()), { env })).toEqual(READY);
  });

  it('through a TLS handshake if the control API is off, with any certificate', async () => {
    const mock = await startServer({}, { CONTROL_PORT: 'off' });
    for (const certsDir of [temporaryFolder(), dirname(mock.certificate.file ?? '')]) {
      expect(await run([...flagsFor(mock), '--certs-dir', certsDir])).toEqual(READY);
    }
    expect(mock.records.filter(({ msg }) => msg === 'request')).toEqual([]);
  });

  it('with the token that the control API requires, and not without it', async () => {
    const env = { MOMO_MOCK_CONTROL_TOKEN: 'sekret-token' };
    const mock = await startServer({}, { CONTROL_TOKEN: 'sekret-token' });
    expect(await run(flagsFor(mock), { env })).toEqual(READY);
    const failed = `Failed to query momo-mock at ${new URL(mock.controlUrl ?? '').host}:`;
    expect(await run(flagsFor(mock))).toEqual({
      code: 1,
      stdout: '',
      stderr: `${failed} it needs a token (401). Set MOMO_MOCK_CONTROL_TOKEN to the mock's token.\n`,
    });
    const wrong = { MOMO_MOCK_CONTROL_TOKEN: 'other-token' };
    expect(await run(flagsFor(mock), { env: wrong })).toEqual({
      code: 1,
      stdout: '',
      stderr: `${failed} it refused the token (401). Correct MOMO_MOCK_CONTROL_TOKEN.\n`,
    });
  });
});

describe('the health command reports not ready', () => {
  it('when the port shows another certificate than the one on disk', async () => {
    const certsDir = temporaryFolder();
    await run(['cert', '--certs-dir', certsDir]);
    const mock = await startServer({}, { CONTROL_PORT: 'off' });
    const ended = await run([...flagsFor(mock), '--certs-dir', certsDir]);
    const why = 'another program responds there';
    expect(ended).toEqual(unreachedService(mock.port, why));
  });

  it('by the name of the variable, where that set the port', async () => {
    const env = { MOMO_MOCK_CONTROL_PORT: 'off', MOMO_MOCK_PORT: `${await freePort()}` };
    const { stderr } = await run(['health'], { env });
    expect(stderr).toContain(
      'or check MOMO_MOCK_PORT. MOMO_MOCK_CONTROL_PORT is off, so the control API was not asked.',
    );
  });

  it('when nothing listens on the port', async () => {
    const port = await freePort();
    const ended = await run(['health', '--control-port', `${port}`]);
    expect(ended).toEqual(unreached(port, 'ECONNREFUSED'));
  });

  it('when another HTTP server responds', async () => {
    const port = await otherProgram((socket) => socket.end(healthResponse(false)));
    const { code, stderr } = await run([
      ...['health', '--control-host', '127.0.0.1', '--control-port', `${port}`],
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(`on 127.0.0.1 port ${port}: it responded with 200.`);
  });

  it('when the port responds with something other than HTTP', async () => {
    const port = await otherProgram((socket) => socket.end('hello\r\n'));
    const ended = await run(['health', '--control-port', `${port}`]);
    expect(ended).toEqual(unreached(port, 'another program responds there'));
  });

  it.each([
    ['--control-port', ['--control-port'], unreached],
    ['--port', ['--control-port', 'off', '--port'], unreachedService],
  ])('after 10 s where %s takes connections and says nothing', async (_name, flags, sentence) => {
    fakeTimeout();
    const port = await otherProgram(() => vi.advanceTimersByTime(HEALTH_TIMEOUT_MS));
    const ended = await run(['health', ...flags, `${port}`]);
    expect(ended).toEqual(sentence(port, 'it does not respond'));
  });

  it.each([
    ['--control-port', ['--control-port', '0']],
    ['--port', ['--control-port', 'off', '--port', '0']],
  ])('where %s is 0, which is wrong usage', async (name, flags) => {
    const stderr = `Failed to reach momo-mock: its port is unknown, because ${name} is 0. Set ${name} to a port.\n`;
    expect(await run(['health', ...flags])).toEqual({ code: 2, stdout: '', stderr });
  });
});
