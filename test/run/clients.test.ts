import { expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { type Command, needs } from '../support/machine.ts';

const URL = 'https://api.example.com/momo/balance?apikey=momo_test_key';
const TOKEN = { MOMO_MOCK_CONTROL_TOKEN: 'to:k@n/' };
const PYTHON = `import urllib.request; print(urllib.request.urlopen('${URL}').read())`;
const LOOPBACK = 'curl -sS "$MOMO_MOCK_URL/momo/balance?apikey=$MOMO_MOCK_APIKEY"';

/** Runs a command with a proxy to the mock for a name that leads elsewhere. */
const runProxied = (command: string[], env: Record<string, string> = {}) =>
  runCommand(['run', '--proxy', '--tls-hosts', 'api.example.com', '--', ...command], { env });

// test/docs/command-line.test.ts has curl without a token, and fetch of Node.
it.for<[string, Command, string[], Record<string, string>]>([
  ['curl, with the token of the control API', 'curl', ['curl', '-sS', URL], TOKEN],
  ['Python', 'python3', ['python3', '-c', PYTHON], {}],
  ['curl, which reaches loopback as ever', 'curl', ['sh', '-c', LOOPBACK], {}],
])(
  'run --proxy directs a client with a built-in URL to the mock: %s',
  async ([, needed, command, env], context) => {
    needs(context, needed);
    const { code, stdout, stderr } = await runProxied(command, env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'momo-mock: 1 request: 1 × 200\n' });
    expect(stdout).toContain('XOF');
  },
);

it('run --proxy rejects every other host, and logs it', async (context) => {
  needs(context, 'curl');
  const { code, stdout, stderr } = await runProxied(['curl', '-sS', 'https://other.example.com/']);
  expect({ code, stdout }).toEqual({ code: 56, stdout: '' });
  expect(stderr).toContain('Failed to connect a client of the proxy to other.example.com:443: ');
});
