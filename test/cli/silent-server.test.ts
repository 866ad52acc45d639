import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../support/command.ts';

test.each([
  ['control API', ['--control-port']],
  ['service', ['--control-port', 'off', '--port']],
])(
  'health ends with an error where the port of the %s takes connections and says nothing',
  async (_what, flags) => {
    const server = createServer((socket) => void socket.on('error', () => {}));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, stdout, stderr } = await runCommand(['health', ...flags, `${port}`]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(
        `^Failed to reach momo-mock on localhost port ${port}: .+\\. Start it, or check MOMO_MOCK_`,
      ),
    );
  },
);
