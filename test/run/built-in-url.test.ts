import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyFolder, FREE_PORTS, runCommand, spawnCommand } from '../support/command.ts';
import { needs, needsEnvProxy } from '../support/machine.ts';
import { runNode } from './node-command.ts';

const BALANCE = 'https://api.example.com/momo/balance?apikey=momo_test_key';
const HOST = ['--tls-hosts', 'api.example.com'];

/** Settings by which no name is looked up outside: it leads to an address, or nowhere. */
async function resolving(address: string | null): Promise<Record<string, string>> {
  const file = join(await emptyFolder(), 'dns.cjs');
  writeFileSync(
    file,
    `require('node:dns').promises.lookup = async () => {
       const address = ${JSON.stringify(address)};
       if (address === null) throw Object.assign(new Error(), { code: 'ENOTFOUND' });
       return { address, family: 4 };
     };`,
  );
  return { NODE_OPTIONS: `--require=${file}` };
}

describe('run --proxy leads a client with a built-in base URL to the mock', () => {
  test('by its name: curl', async (context) => {
    needs(context, 'curl');
    const args = ['run', '--proxy', ...HOST, '--', 'curl', '-sS', BALANCE];
    const { code, stdout, stderr } = await runCommand(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'momo-mock: 1 request: 1 × 200\n' });
    expect(stdout).toContain('XOF');
  });

  test('with the token of the control API', async (context) => {
    needs(context, 'curl');
    const env = { MOMO_MOCK_CONTROL_TOKEN: 'to:k@n/' };
    const args = ['run', '--proxy', ...HOST, '--', 'curl', '-sS', BALANCE];
    expect(await runCommand(args, { env })).toMatchObject({ code: 0 });
  });

  test('by its name: Python', async (context) => {
    needs(context, 'python3');
    const program = `import urllib.request; print(urllib.request.urlopen('${BALANCE}').status)`;
    const args = ['run', '--proxy', ...HOST, '--', 'python3', '-c', program];
    expect(await runCommand(args)).toMatchObject({ code: 0, stdout: '200\n' });
  });

  test('by its name: fetch of Node', async (context) => {
    needsEnvProxy(context);
    const script = `console.log((await fetch('${BALANCE}')).status)`;
    expect(await runNode(script, ['--proxy', ...HOST])).toMatchObject({ stdout: '200\n' });
  });

  test('and every other host is rejected, and logged', async (context) => {
    needs(context, 'curl');
    const url = 'https://other.example.com/';
    const args = ['run', '--proxy', ...HOST, '--', 'curl', '-sS', url];
    const { code, stdout, stderr } = await runCommand(args);
    expect({ code, stdout }).toEqual({ code: 56, stdout: '' });
    expect(stderr).toContain('Failed to connect a client of the proxy to other.example.com:443: ');
  });

  test('and loopback is reached as ever', async (context) => {
    needs(context, 'curl');
    const line = 'curl -sS "$MOMO_MOCK_URL/momo/balance?apikey=$MOMO_MOCK_APIKEY"';
    const args = ['run', '--proxy', ...HOST, '--', 'sh', '-c', line];
    expect(await runCommand(args)).toMatchObject({
      code: 0,
      stderr: 'momo-mock: 1 request: 1 × 200\n',
    });
  });

  test('is wrong usage without a name, and the command is not run', async () => {
    const { code, stdout, stderr } = await runNode('console.log(1)', ['--proxy']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Failed to set up --proxy: the certificate has no name/);
  });
});

describe('--host with a name that does not lead to this machine', () => {
  test.each([
    ['nowhere', null],
    ['elsewhere', '192.0.2.1'],
  ])('starts on localhost where it leads %s, and warns of it', async (_case, address) => {
    const args = [...FREE_PORTS, '--host', 'api.example.com'];
    const { ready, child, ended } = await spawnCommand(args, { env: await resolving(address) });
    const { url, port } = await ready;
    expect(url).toBe(`https://localhost:${port}`);
    child.kill('SIGTERM');
    expect((await ended).stdout).toContain(
      'because api.example.com does not resolve to this machine',
    );
  });

  test('is what run --proxy needs', async (context) => {
    needs(context, 'curl');
    const env = await resolving('192.0.2.1');
    const flags = ['--proxy', '--host', 'api.example.com'];
    const ended = await runCommand(['run', ...flags, '--', 'curl', '-sS', BALANCE], { env });
    expect(ended).toMatchObject({ code: 0, stderr: 'momo-mock: 1 request: 1 × 200\n' });
  });

  test('is checked at localhost by health', async () => {
    const env = await resolving('192.0.2.1');
    const flags = ['--host', 'api.example.com', '--control-port', 'off'];
    const { ready, cwd } = await spawnCommand(['--port', '0', ...flags], { env });
    const { port } = await ready;
    const args = ['health', '--port', String(port), ...flags];
    expect(await runCommand(args, { cwd, env })).toMatchObject({ code: 0, stdout: 'ready\n' });
  });
});
