import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder, run } from '../support/command-in-process.ts';
import { runMock } from '../support/running-mock.ts';

const READY = { code: 0, stdout: 'ready\n', stderr: '' };

function flagsFor({ port, controlUrl }: { port: number; controlUrl: string | null }): string[] {
  const control = controlUrl === null ? 'off' : new URL(controlUrl).port;
  return ['health', '--port', `${port}`, '--control-port', control];
}

test('is ready by the control API, without the keys', async () => {
  const env = { MOMO_MOCK_API_KEYS_FILE: '-' };
  expect(await run(flagsFor(await runMock()), { env })).toEqual(READY);
});

test('is ready by a handshake where the control API is off, whichever certificate is there', async () => {
  const mock = await runMock({ CONTROL_PORT: 'off' });
  const args = [...flagsFor(mock), '--certs-dir'];
  expect(await run([...args, emptyFolder()])).toEqual(READY);
  const { file } = mock.certificate;
  expect(await run([...args, (file ?? '').replace(/\/[^/]+$/, '')])).toEqual(READY);
  expect(mock.records.filter(({ msg }) => msg === 'request')).toEqual([]);
});

test('is not ready where another certificate than the one on disk is shown', async () => {
  const certsDir = emptyFolder();
  await run(['cert', '--certs-dir', certsDir]);
  const mock = await runMock({ CONTROL_PORT: 'off' });
  const { code, stdout, stderr } = await run([...flagsFor(mock), '--certs-dir', certsDir]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    `Failed to reach momo-mock on localhost port ${mock.port}: another program answers there. Start it, or check MOMO_MOCK_PORT.\n`,
  );
});

test('shows the token that the control API demands', async () => {
  const env = { MOMO_MOCK_CONTROL_TOKEN: 'sekret-token' };
  const mock = await runMock({ CONTROL_TOKEN: 'sekret-token' });
  expect(await run(flagsFor(mock), { env })).toEqual(READY);
  const { code, stderr } = await run(flagsFor(mock));
  expect(code).toBe(1);
  expect(stderr).toMatch(/: it answered 401\. Start it, or check MOMO_MOCK_CONTROL_PORT\.\n$/);
});

test.each([
  ['MOMO_MOCK_CONTROL_PORT', ['--control-port', '0']],
  ['MOMO_MOCK_PORT', ['--control-port', 'off', '--port', '0']],
])('cannot know the port where %s is 0', async (name, flags) => {
  const { code, stderr } = await run(['health', ...flags]);
  expect(code).toBe(2);
  expect(stderr).toMatch(`Failed to reach momo-mock: its port is unknown, because ${name} is 0.`);
});

/** A program on a port of its own, which answers nothing but this. */
async function listening(answer: string): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(answer);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

test('is not ready where nothing listens', async () => {
  const { server, port } = await listening('');
  await once(server.close(), 'close');
  const { code, stderr } = await run(['health', '--control-port', String(port)]);
  expect(code).toBe(1);
  expect(stderr).toBe(
    `Failed to reach momo-mock on localhost port ${port}: ECONNREFUSED. Start it, or check MOMO_MOCK_CONTROL_PORT.\n`,
  );
});

test('is not ready where another HTTP server answers', async () => {
  const body = '{"ready":false}';
  const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
  const { port } = await listening(answer);
  const args = ['health', '--control-host', '127.0.0.1', '--control-port', String(port)];
  const { code, stderr } = await run(args);
  expect(code).toBe(1);
  expect(stderr).toContain(`on 127.0.0.1 port ${port}: it answered 200.`);
});
