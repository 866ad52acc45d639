import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../support/command.ts';
import { emptyFolder, run } from '../support/command-in-process.ts';
import { freePort } from '../support/free-port.ts';
import { runMock } from '../support/running-mock.ts';

const READY = { code: 0, stdout: 'ready\n', stderr: '' };

function flagsFor({ port, controlUrl }: { port: number; controlUrl: string | null }): string[] {
  const control = controlUrl === null ? 'off' : new URL(controlUrl).port;
  return ['health', '--port', `${port}`, '--control-port', control];
}

/** The whole sentence of a mock that is not reached. */
const unreached = (port: number, why: string, setting = 'MOMO_MOCK_CONTROL_PORT') => ({
  code: 1,
  stdout: '',
  stderr: `Failed to reach momo-mock on localhost port ${port}: ${why}. Start it, or check ${setting}.\n`,
});

/** Another program, by its port. */
async function otherProgram(serve: (socket: Socket) => void) {
  const server = createServer((socket) => serve(socket.on('error', () => {})));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe('health is ready', () => {
  it('by the control API, without the keys', async () => {
    const env = { MOMO_MOCK_API_KEYS_FILE: '-' };
    expect(await run(flagsFor(await runMock()), { env })).toEqual(READY);
  });

  it('by a handshake where the control API is off, whichever certificate is there', async () => {
    const mock = await runMock({ CONTROL_PORT: 'off' });
    for (const certsDir of [emptyFolder(), dirname(mock.certificate.file ?? '')]) {
      expect(await run([...flagsFor(mock), '--certs-dir', certsDir])).toEqual(READY);
    }
    expect(mock.records.filter(({ msg }) => msg === 'request')).toEqual([]);
  });

  it('with the token that the control API demands, and not without', async () => {
    const env = { MOMO_MOCK_CONTROL_TOKEN: 'sekret-token' };
    const mock = await runMock({ CONTROL_TOKEN: 'sekret-token' });
    expect(await run(flagsFor(mock), { env })).toEqual(READY);
    const failed = `Failed to ask momo-mock at ${new URL(mock.controlUrl ?? '').host}:`;
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

describe('health is not ready', () => {
  it('where another certificate than the one on disk is shown', async () => {
    const certsDir = emptyFolder();
    await run(['cert', '--certs-dir', certsDir]);
    const mock = await runMock({ CONTROL_PORT: 'off' });
    const ended = await run([...flagsFor(mock), '--certs-dir', certsDir]);
    const why = 'another program responds there';
    expect(ended).toEqual(unreached(mock.port, why, 'MOMO_MOCK_PORT'));
  });

  it('where nothing listens', async () => {
    const port = await freePort();
    const ended = await run(['health', '--control-port', `${port}`]);
    expect(ended).toEqual(unreached(port, 'ECONNREFUSED'));
  });

  it('where another HTTP server answers', async () => {
    const answer =
      'HTTP/1.1 200 OK\r\ncontent-length: 15\r\nconnection: close\r\n\r\n{"ready":false}';
    const port = await otherProgram((socket) => socket.end(answer));
    const { code, stderr } = await run([
      ...['health', '--control-host', '127.0.0.1', '--control-port', `${port}`],
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(`on 127.0.0.1 port ${port}: it answered 200.`);
  });

  it.each([
    ['MOMO_MOCK_CONTROL_PORT', ['--control-port']],
    ['MOMO_MOCK_PORT', ['--control-port', 'off', '--port']],
  ])('where the port of %s takes connections and says nothing', async (name, flags) => {
    const port = await otherProgram(() => {});
    const { code, stdout, stderr } = await runCommand(['health', ...flags, `${port}`]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(`Failed to reach momo-mock on localhost port ${port}: `);
    expect(stderr).toMatch(`. Start it, or check ${name}.\n`);
  });

  it.each([
    ['MOMO_MOCK_CONTROL_PORT', ['--control-port', '0']],
    ['MOMO_MOCK_PORT', ['--control-port', 'off', '--port', '0']],
  ])('where %s is 0, which is wrong usage', async (name, flags) => {
    const stderr = `Failed to reach momo-mock: its port is unknown, because ${name} is 0. Set ${name} to a port.\n`;
    expect(await run(['health', ...flags])).toEqual({ code: 2, stdout: '', stderr });
  });
});
