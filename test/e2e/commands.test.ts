import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FREE_PORTS, runCommand, spawnCommand, usedFolder } from '../support/command.ts';

test('momo-mock --version is the version of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const ended = await runCommand(['--version']);
  expect(ended).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('momo-mock cert makes the certificate in the working folder, and shows the same one again', async () => {
  const cwd = await usedFolder();
  const first = await runCommand(['cert'], { cwd });
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const file = join(cwd, 'certs/momo-mock.pem');
  expect(first.stdout).toContain(file);
  expect(first.stdout).toContain(new X509Certificate(readFileSync(file)).fingerprint256);
  expect(await runCommand(['cert'], { cwd })).toMatchObject({ code: 0, stdout: first.stdout });
});

test('momo-mock health is 0 while a mock is up and 1 when it is not', async () => {
  const { ready, child, ended, cwd } = await spawnCommand(FREE_PORTS);
  const { controlUrl } = await ready;
  const args = ['health', '--control-port', new URL(controlUrl ?? '').port];
  expect(await runCommand(args, { cwd })).toMatchObject({ code: 0, stdout: 'ready\n' });
  child.kill('SIGTERM');
  await ended;
  const after = await runCommand(args, { cwd });
  expect(after).toMatchObject({ code: 1, stdout: '' });
  expect(after.stderr).toMatch(/^Failed to reach momo-mock on localhost port \d+: .+\n$/);
});

test('momo-mock init copies the tree, which is then served, and never overwrites', async () => {
  const cwd = await usedFolder();
  await mkdir(join(cwd, 'fixtures/momo'), { recursive: true });
  await writeFile(join(cwd, 'fixtures/momo/balance.get.json'), '{"mine":1}');
  const { code, stdout } = await runCommand(['init'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('kept     fixtures/momo/balance.get.json');
  expect(stdout).toContain('written  fixtures/errors/401.json');
  expect(await readFile(join(cwd, 'fixtures/momo/balance.get.json'), 'utf8')).toBe('{"mine":1}');
  const { ready } = await spawnCommand(FREE_PORTS, { cwd });
  expect(await ready).toMatchObject({ msg: 'ready' });
});
