import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cleanEnv } from '../package/installed.ts';
import { needs } from '../support/machine.ts';
import { blockOf, blocksOf, codeOf, ROOT, readDocument, rowsBelow } from './documents.ts';
import { at, examplesOf } from './examples.ts';
import { openShell } from './shell.ts';

const README = readDocument('README.md');

describe('the first screen', () => {
  it('shows a curl line and the body that it gets', async (context) => {
    needs(context, 'curl');
    const [{ command = '', output = '' } = {}, ...others] = examplesOf(README);
    expect(others).toEqual([]);
    const shell = openShell();
    const ready = await shell.start('momo-mock');
    expect(shell.run(at(ready, command).replace('curl ', 'curl -sS '))).toBe(output);
  });

  it('shows how a project gets momo-mock, and a test that passes there', () => {
    const parent = mkdtempSync(join(tmpdir(), 'momo-mock-readme-'));
    onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
    const [clone, shop] = [join(parent, 'momo-mock'), join(parent, 'shop')];
    mkdirSync(clone);
    mkdirSync(shop);
    // What a clone has after `npm ci`, which also builds.
    for (const name of ['package.json', 'README.md', 'LICENSE', 'dist', 'fixtures']) {
      cpSync(join(ROOT, name), join(clone, name), { recursive: true });
    }
    writeFileSync(join(shop, 'package.json'), '{ "type": "module" }');
    sh(clone, blockOf(README, 'sh pack'));
    sh(shop, blockOf(README, 'sh install'));
    // A project that uses vitest has it.
    symlinkSync(join(ROOT, 'node_modules/vitest'), join(shop, 'node_modules/vitest'));
    const test = blockOf(README, 'js vitest');
    const file = codeOf(README).find((code) => code.endsWith('.test.js')) ?? '';
    const vitest = 'node node_modules/vitest/vitest.mjs run --root . --testTimeout 60000';
    writeFileSync(join(shop, file), test);
    // Another that fails, so that the first is seen to compare something.
    writeFileSync(join(shop, `other.${file}`), test.replace('balance: 500', 'balance: 499'));
    expect(() => sh(shop, vitest)).toThrow(
      expect.objectContaining({
        stdout: expect.stringMatching(/Tests .*1 failed.*1 passed/),
        stderr: expect.stringContaining('499'),
      }),
    );
  });

  it('publishes the ports of the image', () => {
    const published = (text: string) => text.match(/ -p \S+/g);
    expect(published(README)).toEqual(published(readDocument('docs/container.md')));
  });

  it('shows a script by curl that a mock accepts', async (context) => {
    needs(context, 'curl');
    const shell = openShell();
    const ready = await shell.start('momo-mock');
    const [line = '', ...others] = at(ready, README).match(/^curl .*http:.*$/gm) ?? [];
    expect(others).toEqual([]);
    expect(JSON.parse(shell.run(line.replace('curl ', 'curl -sSf ')))).toMatchObject({
      responses: [{ status: 503, times: 2 }],
    });
  });
});

/** Runs a line in a folder as it is outside of a test: offline, and with no vitest around it. */
function sh(cwd: string, line: string): string {
  const env = {
    ...cleanEnv(),
    npm_config_offline: 'true',
    // `dist` is there; to build it is what other tests show.
    npm_config_ignore_scripts: 'true',
  };
  return execFileSync('sh', ['-c', line], { cwd, env, encoding: 'utf8', stdio: 'pipe' });
}

describe('commands', () => {
  it('shows each in its table, and each does what it says', async () => {
    const shell = openShell();
    const calls = rowsBelow(README, 'Commands').map(([call = '']) => call.replaceAll('`', ''));
    const names = ['serve', 'run -- COMMAND', 'cert', 'health', 'init', 'check', 'record'];
    const all = [...names, 'settings', 'help COMMAND'];
    expect(calls).toEqual(all.map((name) => `momo-mock ${name}`));
    const ready = await shell.start('momo-mock serve');
    const control = { MOMO_MOCK_CONTROL_PORT: new URL(ready.controlUrl).port };
    expect(shell.run('momo-mock run -- printenv MOMO_MOCK_URL')).toMatch(/^https:/);
    expect(shell.run('momo-mock cert')).toContain(ready.certificate);
    expect(shell.run('momo-mock health', control)).toBe('ready\n');
    expect(shell.run('momo-mock init')).toContain('fixtures/momo/balance.get.json');
    const real = {
      MOMO_MOCK_REAL_URL: ready.url,
      MOMO_MOCK_REAL_KEY: 'momo_test_key',
      MOMO_MOCK_REAL_CA_FILE: ready.certificate,
    };
    expect(shell.run('momo-mock check', real)).toContain('GET /momo/balance: same\n');
    expect(shell.run('momo-mock record --fixtures-dir new', real)).toContain('written');
    expect(shell.run('momo-mock settings')).toContain('MOMO_MOCK_PORT');
    expect(shell.run('momo-mock help run')).toContain('--expect-requests');
  });

  it.each([
    ['momo-mock health', 1],
    ['momo-mock --no-such-flag', 2],
  ])('%s exits with %i', (line, status) => {
    const unused = { MOMO_MOCK_CONTROL_PORT: '1' };
    expect(() => openShell().run(line, unused)).toThrow(expect.objectContaining({ status }));
  });
});

it.each(
  blocksOf(readDocument('docs/settings.md'))
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => line.includes('momo-mock')),
)('docs/settings.md: %s starts a mock', async (line) => {
  const shell = openShell();
  writeFileSync(join(shell.folder, 'keys.txt'), 'test_alice\ntest_bob=empty\n');
  const ready = await shell.start(line.replace('9443', '0'), { MY_KEY: 'test_key' });
  expect(ready.url).toMatch(/^https:\/\/localhost:\d+$/);
});
