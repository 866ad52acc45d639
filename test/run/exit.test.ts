import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  emptyFolder,
  signalUntilEnded,
  spawnCommand,
  spawnWaitingForKeys,
} from '../support/command.ts';
import { needs } from '../support/machine.ts';
import { ask } from '../support/running-mock.ts';
import { runNode } from './node-command.ts';

describe('the exit status is', () => {
  test('that of the command', async () => {
    expect(await runNode('process.exit(255)')).toMatchObject({ code: 255, signal: null });
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGKILL'])('the signal that ended it: %s', async (signal) => {
    const ended = await runNode(`process.kill(process.pid, '${signal}'); setInterval(() => {}, 9)`);
    expect(ended).toMatchObject({ code: null, signal });
    expect(ended.stderr).toBe('momo-mock: no requests\n');
  });

  test('1 with --expect-requests where no connection became a request', async () => {
    const script = `require('node:tls').connect(new URL(process.env.MOMO_MOCK_URL).port, { ca: require('node:tls').rootCertificates }).on('error', () => {})`;
    const { code, stderr } = await runNode(script, ['--expect-requests']);
    expect(code).toBe(1);
    expect(stderr).toContain('momo-mock: no requests: 1 × tls-handshake\n');
  });
});

describe('a signal', () => {
  const WAIT = 'setInterval(() => {}, 1000);';

  test('that comes during the start ends it before there is a command', async () => {
    const command = [process.execPath, '-e', 'console.log(1)'];
    const made = spawnWaitingForKeys((flags) => ['run', ...flags, '--', ...command]);
    const { child, ended, keys } = await made;
    child.kill('SIGTERM');
    await keys.write('some_key');
    await keys.close();
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM', stdout: '' });
  });

  test('twice during the start ends it immediately, and nothing is left of it', async () => {
    const TMPDIR = await emptyFolder();
    const command = (flags: string[]) => ['run', ...flags, '--', 'true'];
    const { child, ended } = await spawnWaitingForKeys(command, { env: { TMPDIR } });
    expect(readdirSync(TMPDIR)).toHaveLength(1);
    signalUntilEnded(child, 'SIGTERM');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM' });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  test('after the command ends it immediately where one came before', async () => {
    const TMPDIR = await emptyFolder();
    const script = `${WAIT} console.log(JSON.stringify(process.env))`;
    const flags = ['--shutdown-timeout', '3600000'];
    const args = ['run', ...flags, '--', process.execPath, '-e', script];
    const cwd = await emptyFolder();
    const { child, ended } = await spawnCommand(args, { cwd, env: { TMPDIR } });
    const [line] = await once(child.stdout, 'data');
    const {
      MOMO_MOCK_URL: url,
      MOMO_MOCK_CA: ca,
      MOMO_MOCK_CONTROL_URL: control,
    } = JSON.parse(line);
    const delay = { method: 'PUT', headers: { 'content-type': 'application/json' } };
    await fetch(`${control}/responses`, { ...delay, body: '{"delay":3600000}' });
    // The mock waits for it, longer than the command runs.
    const mock = { url, certificate: { cert: readFileSync(ca, 'utf8') } } as never;
    const broken = expect(ask(mock, '/momo/balance?apikey=momo_test_key')).rejects.toThrow();
    await expect.poll(async () => (await fetch(`${control}/responses`)).text()).toContain('[]');
    signalUntilEnded(child, 'SIGTERM');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM', stderr: '' });
    await broken;
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  test('from a terminal’s keys reaches the command once', async (context) => {
    needs(context, 'script');
    const cwd = await emptyFolder();
    // A second one would come from momo-mock, while this waits for it.
    const command = `let count = 0;
      process.on('SIGINT', () => { count++; setTimeout(() => process.exit(40 + count), 500); });
      ${WAIT} console.log('up');`;
    writeFileSync(join(cwd, 'command.js'), command);
    const cli = join(process.cwd(), 'dist/cli.cjs');
    const LINE = `exec '${process.execPath}' '${cli}' run -- '${process.execPath}' command.js`;
    const script = `const child = require('node:child_process').spawn('script', ['-qec', process.env.LINE, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdout.once('data', () => child.stdin.write('\\x03'));
      child.on('exit', (code) => process.exit(code));`;
    const { code } = await runNode(script, [], { cwd, env: { LINE } });
    expect(code).toBe(41);
  });
});
