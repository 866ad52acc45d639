import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Call, type Ended, emptyFolder, run } from '../support/command-in-process.ts';

/** Runs a script in Node by `momo-mock run`; what it gives to `say` comes back. */
async function runNode(
  script: string,
  flags: readonly string[] = [],
  call: Call = {},
): Promise<Ended & { said: unknown }> {
  const folder = emptyFolder();
  const file = join(folder, 'said.json');
  const say = `const say = (value) => require('node:fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify(value)); const { env } = process;`;
  const node = [process.execPath, '-e', `${say} (async () => { ${script} })()`];
  const env = { TMPDIR: folder, ...call.env };
  const ended = await run(['run', ...flags, '--', ...node], { ...call, env });
  // The folder of the run is gone.
  expect(readdirSync(folder).filter((name) => name !== 'said.json')).toEqual([]);
  return { ...ended, said: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined };
}

const ASK = "await fetch(env.MOMO_MOCK_URL + '/momo/balance?apikey=' + env.MOMO_MOCK_APIKEY)";

test('the command can use the mock, and trusts it', async () => {
  const { code, stderr, said } = await runNode(`say([(await ${ASK}).status, env])`, [], {
    env: { NODE_EXTRA_CA_CERTS: '' },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'momo-mock: 1 request: 1 × 200\n' });
  const [status, env] = said as [number, Record<string, string>];
  expect(status).toBe(200);
  expect(env).toMatchObject({
    MOMO_MOCK_URL: expect.stringMatching(/^https:\/\/localhost:\d+$/),
    MOMO_MOCK_CONTROL_URL: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    MOMO_MOCK_APIKEY: 'momo_test_key',
    MOMO_MOCK_CA: expect.stringMatching(/\/momo-mock-run-\w+\/momo-mock\.pem$/),
    NODE_EXTRA_CA_CERTS: env.MOMO_MOCK_CA,
    PATH: process.env.PATH,
  });
  expect(env.HTTPS_PROXY).toBe(process.env.HTTPS_PROXY);
});

test('--set fills in what the mock has', async () => {
  const { said } = await runNode('say([env.BASE, env.FILES, env.PORTS])', [
    ...[
      '--set',
      'BASE={url}/v1',
      '--set',
      'FILES={ca} {bundle}',
      '--set',
      'PORTS={port} {controlPort}',
    ],
    ...['--set', 'OTHER={controlUrl} {apikey} {proxy}'],
  ]);
  expect(said).toEqual([
    expect.stringMatching(/^https:\/\/localhost:\d+\/v1$/),
    expect.stringMatching(/momo-mock\.pem \/.*bundle\.pem$/),
    expect.stringMatching(/^\d+ \d+$/),
  ]);
});

test('--proxy leads the names of the certificate to the mock', async () => {
  const env = { MOMO_MOCK_CONTROL_TOKEN: 'to/ken' };
  const { stderr, said } = await runNode(
    'say([env.HTTPS_PROXY, env.MOMO_MOCK_CONTROL_URL])',
    ['--proxy', '--host', 'api.invalid'],
    { env },
  );
  const [proxy, control] = said as [string, string];
  expect(proxy).toBe(control.replace('//', '//momo-mock:to%2Fken@'));
  expect(stderr).toBe('momo-mock: no requests\n');
});

test('without --proxy, a name that leads elsewhere is a warning', async () => {
  const { stderr } = await runNode('', ['--host', 'api.invalid']);
  const [warning = '', tally] = stderr.trim().split('\n');
  expect(JSON.parse(warning).msg).toMatch(
    /^The service listens on localhost, because api\.invalid/,
  );
  expect(tally).toBe('momo-mock: no requests');
});

test('what the control API would give is empty, or wrong usage, where it is off', async () => {
  const off = ['--control-port', 'off'];
  expect((await runNode('say(env.MOMO_MOCK_CONTROL_URL)', off)).said).toBe('');
  const { code, stderr, said } = await runNode('say(1)', [...off, '--set', 'X={controlPort}']);
  expect({ code, said }).toEqual({ code: 2, said: undefined });
  expect(stderr).toContain('Failed to fill in --set X: the control API is off.');
});

test('--log-level silent leaves standard error to the command', async () => {
  expect(await runNode(ASK, ['--log-level', 'silent'])).toMatchObject({ code: 0, stderr: '' });
});

describe('the exit code is', () => {
  test.each([
    ['that of the command', 'process.exit(3)', [], 3],
    ['1 without a request that is expected', '', ['--expect-requests'], 1],
    ['0 with a request that is expected', ASK, ['--expect-requests'], 0],
    ['0 where none is expected', '', ['--expect-requests=false'], 0],
    ['that of the command, even without a request', 'process.exit(3)', ['--expect-requests'], 3],
  ])('%s', async (_case, script, flags, code) => {
    const ended = await runNode(script, flags);
    expect(ended.code).toBe(code);
    expect(ended.stderr.includes('Failed to see a request: ')).toBe(code === 1);
  });

  test('127 where there is no such program', async () => {
    // On a PATH with a folder that this user may not read it could be there.
    const env = { PATH: '/usr/bin:/bin' };
    const { code, stderr } = await run(['run', '--', 'no-such-program', 'sekret'], { env });
    expect(code).toBe(127);
    expect(stderr).toMatch(
      /\nFailed to run no-such-program: there is no such program\. Use .+\.\n$/,
    );
    expect(stderr).not.toContain('sekret');
  });

  test('126 where it cannot be executed', async () => {
    const file = join(emptyFolder(), 'text');
    writeFileSync(file, 'text');
    const { code, stderr } = await run(['run', '--', file]);
    expect(code).toBe(126);
    expect(stderr).toContain(`\nFailed to run ${file}: it cannot be executed (EACCES). Make it`);
  });

  test('2 for settings that are wrong, before the command', async () => {
    const { code, said } = await runNode('say(1)', ['--balance-variant', 'none']);
    expect({ code, said }).toEqual({ code: 2, said: undefined });
  });

  test('that of a signal, which ends this process too', async () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    onTestFinished(() => kill.mockRestore());
    const { code } = await runNode(
      "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 9)",
    );
    expect(code).toBe(128 + 9);
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGKILL']]);
  });
});

test('1 where there is no folder for temporary files, and the sentence names it', async () => {
  const TMPDIR = join(emptyFolder(), 'none');
  const { code, stderr } = await run(['run', '--', 'true'], { env: { TMPDIR } });
  expect(code).toBe(1);
  expect(stderr).toBe(
    `Failed to make a folder in ${TMPDIR}: ENOENT. Set TMPDIR to a writable folder.\n`,
  );
});
