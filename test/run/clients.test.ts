import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { type Command, needs, needsEnvProxy } from '../support/machine.ts';

const BALANCE = 'https://api.example.com/momo/balance?apikey=momo_test_key';
const NODE = [process.execPath, '--input-type=module', '-e'];
const ONE = 'momo-mock: 1 request: 1 × 200\n';

/** Runs a command with a proxy to the mock for a name that leads elsewhere. */
const runProxied = (command: string[], env: Record<string, string> = {}) =>
  runCommand(['run', '--proxy', '--tls-hosts', 'api.example.com', '--', ...command], { env });

describe('run --proxy leads a client with a built-in base URL to the mock', () => {
  const python = `import urllib.request; print(urllib.request.urlopen('${BALANCE}').status)`;
  it.for<[string, Command | 'node', string[], Record<string, string>, string]>([
    ['curl', 'curl', ['curl', '-sS', BALANCE], {}, 'XOF'],
    [
      'curl, with the token of the control API',
      'curl',
      ['curl', '-sS', BALANCE],
      { MOMO_MOCK_CONTROL_TOKEN: 'to:k@n/' },
      'XOF',
    ],
    ['Python', 'python3', ['python3', '-c', python], {}, '200\n'],
    [
      'fetch of Node',
      'node',
      [...NODE, `console.log((await fetch('${BALANCE}')).status)`],
      {},
      '200\n',
    ],
    [
      'curl, which reaches loopback as ever',
      'curl',
      ['sh', '-c', 'curl -sS "$MOMO_MOCK_URL/momo/balance?apikey=$MOMO_MOCK_APIKEY"'],
      {},
      'XOF',
    ],
  ])('%s', async ([, needed, command, env, shown], context) => {
    if (needed === 'node') needsEnvProxy(context);
    else needs(context, needed);
    const { code, stdout, stderr } = await runProxied(command, env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: ONE });
    expect(stdout).toContain(shown);
  });
});

it('run --proxy rejects every other host, which the log says', async (context) => {
  needs(context, 'curl');
  const { code, stdout, stderr } = await runProxied(['curl', '-sS', 'https://other.example.com/']);
  expect({ code, stdout }).toEqual({ code: 56, stdout: '' });
  expect(stderr).toContain('Failed to connect a client of the proxy to other.example.com:443: ');
});
