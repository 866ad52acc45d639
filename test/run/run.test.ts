import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { emptyFolder } from '../support/command.ts';
import { runNode } from './node-command.ts';

const ASK = `const answer = await fetch(\`\${process.env.MOMO_MOCK_URL}/momo/balance?apikey=\${process.env.MOMO_MOCK_APIKEY}\`);
  console.log(answer.status);`;

test('a command reaches and trusts the mock by the variables that it gets', async () => {
  expect(await runNode(ASK)).toEqual({
    code: 0,
    signal: null,
    stdout: '200\n',
    stderr: 'momo-mock: 1 request: 1 × 200\n',
  });
});

test('its key is the first that is configured, which nothing shows', async () => {
  const env = { MOMO_MOCK_API_KEYS: 'first_key,second_key' };
  const { stdout, stderr } = await runNode(ASK, [], { env });
  expect([stdout, stderr]).toEqual(['200\n', 'momo-mock: 1 request: 1 × 200\n']);
});

test('standard output and input are the command’s alone', async () => {
  const script = `for await (const text of process.stdin) process.stdout.write(text.toString().toUpperCase());`;
  const { stdout } = await runNode(script, ['--log-level', 'trace'], { stdin: 'words' });
  expect(stdout).toBe('WORDS');
});

test('log records go to standard error, and so does the tally', async () => {
  const bad = `await fetch(process.env.MOMO_MOCK_URL + '/momo/balance?apikey=wrong');`;
  const { stdout, stderr } = await runNode(`${ASK} ${bad} ${bad}`, ['--log-level', 'info']);
  const lines = stderr.trim().split('\n');
  expect(stdout).toBe('200\n');
  expect(lines.slice(0, -1).map((line) => JSON.parse(line).status)).toEqual([200, 401, 401]);
  expect(lines.at(-1)).toBe('momo-mock: 3 requests: 2 × 401 key-unknown, 1 × 200');
});

test('counts requests that a test removes from the journal, and a fault by its name', async () => {
  const script = `const { MOMO_MOCK_CONTROL_URL: control, MOMO_MOCK_URL: url } = process.env;
    const headers = { 'content-type': 'application/json' };
    await fetch(control + '/responses', { method: 'PUT', headers, body: '{"fault":"reset"}' });
    await fetch(url + '/momo/balance?apikey=momo_test_key').catch(() => {});
    await fetch(control + '/reset', { method: 'POST' });`;
  const { stderr } = await runNode(script);
  expect(stderr).toBe('momo-mock: 1 request: 1 × reset\n');
});

test('nothing is left behind, neither in the working folder nor in the temporary one', async () => {
  const [cwd, TMPDIR] = [await emptyFolder(), await emptyFolder()];
  const { stdout } = await runNode(`console.log(process.env.MOMO_MOCK_CA)`, [], {
    cwd,
    env: { TMPDIR },
  });
  expect(stdout).toContain(`${TMPDIR}/`);
  expect(await readdir(cwd)).toEqual([]);
  expect(await readdir(TMPDIR)).toEqual([]);
});

test('a certificate that a setting names is the one that is used, and kept', async () => {
  const cwd = await emptyFolder();
  const args = ['--certs-dir', 'kept'];
  const { stdout } = await runNode(`${ASK} console.log(process.env.MOMO_MOCK_CA)`, args, { cwd });
  expect(stdout).toBe(`200\n${cwd}/kept/momo-mock.pem\n`);
});

test('a command in the command may be another momo-mock', async () => {
  const cli = JSON.stringify(`${process.cwd()}/dist/cli.cjs`);
  const script = `require('node:child_process').execFileSync(process.execPath, [${cli}, 'cert'], { stdio: 'inherit' })`;
  expect(await runNode(script)).toMatchObject({ code: 0 });
});
