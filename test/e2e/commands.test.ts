import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyFolder, FREE_PORTS, runCommand, spawnCommand } from '../spawned-command.ts';

describe('momo-mock --help', () => {
  test('names every command', async () => {
    const { code, stdout, stderr } = await runCommand(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of ['serve', 'run', 'cert', 'health', 'init', 'settings', 'help']) {
      expect(stdout).toContain(name);
    }
  });

  test('settings have flags, but none that could show a secret', async () => {
    const { stdout } = await runCommand(['settings']);
    expect(stdout).toMatch(/^ {2}--port +MOMO_MOCK_PORT$/m);
    expect(stdout).toMatch(/^ {2}\(no flag\) +MOMO_MOCK_API_KEYS$/m);
    expect(stdout).toMatch(/^ {2}\(no flag\) +MOMO_MOCK_CONTROL_TOKEN$/m);
  });

  test.each(['serve', 'run', 'cert', 'health', 'init', 'settings'])(
    '%s has its own, with an example',
    async (name) => {
      for (const args of [
        [name, '--help'],
        [name, '-h'],
      ]) {
        const { code, stdout } = await runCommand(args);
        expect(code).toBe(0);
        expect(stdout).toMatch(new RegExp(`^Usage: momo-mock \\[?${name}`));
        expect(stdout).toMatch(/\n {2}(\w.*)?momo-mock/);
      }
    },
  );

  test('--version is the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await runCommand(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});

describe('momo-mock cert', () => {
  test('makes the certificate without starting, and shows the same one again', async () => {
    const cwd = await emptyFolder();
    const first = await runCommand(['cert', '--tls-hosts', 'momo.test,10.0.0.5'], { cwd });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const { subjectAltName, fingerprint256 } = new X509Certificate(
      readFileSync(join(cwd, 'certs/momo-mock.pem')),
    );
    expect(subjectAltName).toContain('DNS:momo.test');
    expect(subjectAltName).toContain('IP Address:10.0.0.5');
    expect(first.stdout).toContain(fingerprint256);
    expect(first.stdout).toContain(join(cwd, 'certs/momo-mock.pem'));
    expect(await runCommand(['cert'], { cwd })).toMatchObject({ code: 0, stdout: first.stdout });
  });

  test('fails where it cannot keep it', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'certs'), '');
    const { code, stdout, stderr } = await runCommand(['cert'], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/certs/);
  });
});

describe('momo-mock health', () => {
  test.each([
    ['by the control API', []],
    ['by a handshake, where that is off', ['--control-port', 'off']],
  ])('is 0 while a mock is up and 1 when it is not, %s', async (_name, flags) => {
    const { ready, child, ended, cwd } = await spawnCommand(['--port', '0', '--control-port', '0']);
    const { port, controlUrl } = await ready;
    const control = new URL(controlUrl ?? '').port;
    const args = ['health', '--port', String(port), '--control-port', control, ...flags];
    // The keys came over standard input, which is not there for the question.
    const env = { MOMO_MOCK_API_KEYS_FILE: '-' };
    expect(await runCommand(args, { cwd, env })).toMatchObject({ code: 0, stdout: 'ready\n' });
    child.kill('SIGTERM');
    expect((await ended).stdout).not.toContain('"request"');
    const after = await runCommand(args, { cwd });
    expect(after).toMatchObject({ code: 1, stdout: '' });
    expect(after.stderr).toMatch(/^Failed to reach momo-mock on localhost port \d+: .+\n$/);
  });

  test('shows the token that the control API demands', async () => {
    const env = { MOMO_MOCK_CONTROL_TOKEN: 'sekret-token' };
    const { ready, cwd } = await spawnCommand(FREE_PORTS, { env });
    const args = ['health', '--control-port', new URL((await ready).controlUrl ?? '').port];
    expect(await runCommand(args, { cwd, env })).toMatchObject({ code: 0 });
    const without = await runCommand(args, { cwd });
    expect(without).toMatchObject({ code: 1, stderr: expect.stringMatching(/it answered 401/) });
  });

  test('is 1 where another program with another certificate answers', async () => {
    const { ready } = await spawnCommand(FREE_PORTS);
    const { port } = await ready;
    const cwd = await emptyFolder();
    await runCommand(['cert'], { cwd });
    const args = ['health', '--port', String(port), '--control-port', 'off'];
    const { code, stderr } = await runCommand(args, { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/another program answers there/);
  });

  test('says so where the settings do not tell the port', async () => {
    const { code, stderr } = await runCommand(['health', '--control-port', '0']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/MOMO_MOCK_CONTROL_PORT is 0/);
  });
});

describe('momo-mock init', () => {
  test('copies the tree, which is then served, and never overwrites', async () => {
    const cwd = await emptyFolder();
    await mkdir(join(cwd, 'fixtures/momo'), { recursive: true });
    await writeFile(join(cwd, 'fixtures/momo/balance.get.json'), '{"mine":1}');
    const { code, stdout } = await runCommand(['init'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('kept     fixtures/momo/balance.get.json');
    expect(stdout).toContain('written  fixtures/errors/401.json');
    expect(await readFile(join(cwd, 'fixtures/momo/balance.get.json'), 'utf8')).toBe('{"mine":1}');
    const shipped = await readFile('fixtures/errors/401.json', 'utf8');
    expect(await readFile(join(cwd, 'fixtures/errors/401.json'), 'utf8')).toBe(shipped);
    const { ready } = await spawnCommand(FREE_PORTS, { cwd });
    expect(await ready).toMatchObject({ msg: 'ready' });
  });

  test('takes another folder, and says how to serve it', async () => {
    const cwd = await emptyFolder();
    const { stdout } = await runCommand(['init', 'a/b'], { cwd });
    expect(stdout).toContain('momo-mock --fixtures-dir a/b');
    expect(existsSync(join(cwd, 'a/b/momo/balance.get.json'))).toBe(true);
  });

  test('says so where the folder cannot be written', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'fixtures'), '');
    const { code, stderr } = await runCommand(['init'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Failed to write fixtures\/errors: \w+\. Use a writable folder/);
  });
});
