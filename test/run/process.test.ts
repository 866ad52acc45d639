import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { CLI, signalUntilEnded, spawnCommand, spawnWaitingForKeys } from '../support/command.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { runNode } from './node-command.ts';

const HOUR = '3600000';

describe('run', () => {
  it('leaves standard output and input to the command', async () => {
    const script = `for await (const text of process.stdin) process.stdout.write(text.toString().toUpperCase());`;
    const { stdout } = await runNode(script, ['--log-level', 'trace'], { stdin: 'words' });
    expect(stdout).toBe('WORDS');
  });

  it('passes all arguments of the command unchanged', async () => {
    const show = 'console.log(JSON.stringify(process.argv.slice(1)))';
    const args = ['run', '--', process.execPath, '-e', show, '--', '--port', 'a b', '--', '$x'];
    const { ended } = await spawnCommand(args);
    expect(JSON.parse((await ended).stdout)).toEqual(['--port', 'a b', '--', '$x']);
  });

  it('leaves nothing behind in the working folder and in the temporary folder', async () => {
    const [cwd, TMPDIR] = [temporaryFolder(), temporaryFolder()];
    const show = 'console.log(process.env.MOMO_MOCK_CA)';
    const { stdout } = await runNode(show, [], { cwd, env: { TMPDIR } });
    expect(stdout).toContain(`${TMPDIR}/`);
    expect([readdirSync(cwd), readdirSync(TMPDIR)]).toEqual([[], []]);
  });

  it('uses and keeps a certificate that a setting names', async () => {
    const cwd = temporaryFolder();
    const script = `const { MOMO_MOCK_URL: url, MOMO_MOCK_CA: ca } = process.env;
      console.log((await fetch(url + '/momo/balance?apikey=momo_test_key')).status, ca);`;
    const { stdout } = await runNode(script, ['--certs-dir', 'kept'], { cwd });
    expect(stdout).toBe(`200 ${cwd}/kept/momo-mock.pem\n`);
    expect(readdirSync(join(cwd, 'kept'))).toContain('momo-mock.pem');
  });

  it('can run another momo-mock', async () => {
    const script = `require('node:child_process').execFileSync(process.execPath, [${JSON.stringify(CLI)}, 'cert'], { stdio: 'inherit' })`;
    expect(await runNode(script)).toMatchObject({ code: 0 });
  });
});

// test/docs/signals.test.ts has each signal while the command runs.
describe('a signal to run', () => {
  const WAIT = 'setInterval(() => {}, 1000);';

  it('ends it during startup, before the command starts', async () => {
    const command = [process.execPath, '-e', 'console.log(1)'];
    const made = spawnWaitingForKeys((flags) => ['run', ...flags, '--', ...command]);
    const { child, ended, keys } = await made;
    child.kill('SIGTERM');
    await keys.write('some_key');
    await keys.close();
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM', stdout: '' });
  });

  it('that comes twice during startup ends it immediately, and leaves nothing behind', async () => {
    const TMPDIR = temporaryFolder();
    const command = (flags: string[]) => ['run', ...flags, '--', 'true'];
    const { child, ended } = await spawnWaitingForKeys(command, { env: { TMPDIR } });
    expect(readdirSync(TMPDIR)).toHaveLength(1);
    signalUntilEnded(child, 'SIGTERM');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM' });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it('after the command ends it immediately if it is the second one', async () => {
    const TMPDIR = temporaryFolder();
    const script = `${WAIT} console.log(JSON.stringify(process.env))`;
    const fixtures = temporaryFolder();
    writeFiles(fixtures, { 'momo/balance.get.js': 'export default () => new Promise(() => {});' });
    const timeouts = ['--shutdown-timeout', HOUR, '--client-timeout', HOUR];
    const flags = [...timeouts, '--fixtures-dir', fixtures];
    const args = ['run', ...flags, '--', process.execPath, '-e', script];
    const { child, ended } = await spawnCommand(args, {
      cwd: temporaryFolder(),
      env: { TMPDIR },
    });
    const env = JSON.parse((await once(child.stdout, 'data'))[0]);
    const ca = readFileSync(env.MOMO_MOCK_CA, 'utf8');
    const mock = { url: env.MOMO_MOCK_URL, ca, apiKey: env.MOMO_MOCK_APIKEY };
    const api = { controlUrl: env.MOMO_MOCK_CONTROL_URL };
    // The mock waits for it, longer than the command runs.
    const broken = expect(ask(mock)).rejects.toThrow();
    await control(api, 'GET /requests?waitFor=1');
    signalUntilEnded(child, 'SIGTERM');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM', stderr: '' });
    await broken;
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it('from the keys of a terminal is not forwarded, because the command gets it too', async (context) => {
    needs(context, 'script', 'setsid');
    const cwd = temporaryFolder();
    // In a session of its own, the command gets only what momo-mock passes on.
    const command = `let count = 0;
      process.on('SIGINT', () => count++);
      process.on('SIGTERM', () => process.exit(40 + count));
      ${WAIT} console.log('child of', process.ppid, '.');`;
    writeFileSync(join(cwd, 'command.js'), command);
    const LINE = `exec '${process.execPath}' '${CLI}' run -- setsid '${process.execPath}' command.js`;
    // A terminal shows ^C when it has sent the signal. momo-mock passes SIGTERM on, behind the other.
    const script = `const child = require('node:child_process').spawn('script', ['-qec', process.env.LINE, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
      let shown = '';
      const until = (text, act) => child.stdout.on('data', function seen() {
        if (!text.test(shown)) return;
        child.stdout.off('data', seen);
        act();
      });
      child.stdout.on('data', (text) => (shown += text));
      until(/child of \\d+ \\./, () => child.stdin.write('\\x03'));
      until(/\\^C/, () => process.kill(/child of (\\d+)/.exec(shown)[1], 'SIGTERM'));
      child.on('exit', (code) => process.exit(code));`;
    const { code } = await runNode(script, [], { cwd, env: { LINE } });
    expect(code).toBe(40);
  });
});
