import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { FREE_PORTS, runCommand, spawnCommand } from '../support/command.ts';
import { handlerTree } from './handler-tree.ts';

// It builds the project, which takes half a minute on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

// Inside of the project, whose packages it finds there. Where `node_modules` is a link, Node 20 and 22
// load a package twice, and `import()` gives what is empty.
const root = mkdtempSync(resolve('node_modules/.momo-plain-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(() => {
  // Without the check of types, which the build before the tests has done: it changes no file.
  const args = [
    'run',
    '--silent',
    'build:plain',
    '--',
    '--outDir',
    join(root, 'dist'),
    '--noCheck',
  ];
  execFileSync('npm', args, { stdio: 'inherit' });
  for (const part of ['fixtures', 'package.json'])
    cpSync(part, join(root, part), { recursive: true });
});

it('the plain build serves the balance, and stops', async () => {
  const cli = join(root, 'dist/cli.cjs');
  const { child, cwd, ready, ended } = await spawnCommand(FREE_PORTS, { cli });
  const { url } = await ready;
  const ca = readFileSync(join(cwd, 'certs/momo-mock.pem'));
  const request = get(`${url}/momo/balance?apikey=momo_test_key`, { ca, agent: false });
  const [response] = await once(request, 'response');
  expect(await json(response)).toMatchObject({ success: true });
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

it('the plain build loads handlers', async () => {
  const { env, serves } = handlerTree();
  await serves(await spawnCommand(FREE_PORTS, { cli: join(root, 'dist/cli.cjs'), env }));
});

it('the plain build redirects a command', async () => {
  const words = ['run', '--redirect', 'api.example.com', '--', process.execPath, '-e', ''];
  const { code, stderr } = await runCommand(words, { cli: join(root, 'dist/cli.cjs') });
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'momo-mock: no requests\n' });
});

it('the library of the plain build starts a mock', () => {
  const code = `
    import { startMomoMock } from './dist/index.js';
    const { url, close } = await startMomoMock();
    console.log(url);
    await close();`;
  const args = ['--input-type=module', '-e', code];
  expect(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })).toMatch(
    /^https:\/\/localhost:\d+\n$/,
  );
});
