import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { cleanEnv } from '../package/installed.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { blockOf, blocksOf, filesOf, ROOT, readDocument } from './documents.ts';
import { at, matching, runExamples, sectionsOf, tryExamples } from './examples.ts';
import { openShell } from './shell.ts';

// It installs a project and runs vitest in it twice, which takes half a minute on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const PAGE = readDocument('docs/get-started.md');

it('docs/get-started.md shows only blocks that this test runs', () => {
  expect(blocksOf(PAGE).map(({ info }) => info)).toEqual([
    'sh pack',
    'sh install',
    'sh start',
    'console balance',
    'js file=momo/payments.post.js',
    'js pay',
    'js test',
    'console fails',
    'js fix',
    'console passes',
    'sh script',
    'json ready',
    'sh',
    'console',
    'console',
  ]);
});

describe('the tutorial', () => {
  it('finds the bug, and passes when it is fixed', () => {
    const [clone, shop] = [temporaryFolder(), join(temporaryFolder(), 'shop')];
    mkdirSync(shop);
    // What a clone has after `npm ci`, which also builds.
    for (const name of ['package.json', 'README.md', 'LICENSE', 'dist', 'fixtures', 'presets']) {
      cpSync(join(ROOT, name), join(clone, name), { recursive: true });
    }
    const [first, pack = ''] = blockOf(PAGE, 'sh pack').split(/(?<=\n)/);
    expect(first).toBe('npm ci\n');
    const write = (file: string, text: string) => writeFiles(shop, { [file]: text });
    write('package.json', '{ "type": "module" }');
    sh(clone, pack.replace('../shop', shop));
    sh(shop, blockOf(PAGE, 'sh install'));
    // A project that uses vitest has it.
    symlinkSync(join(ROOT, 'node_modules/vitest'), join(shop, 'node_modules/vitest'));
    for (const { file, text } of filesOf(PAGE)) write(`fixtures/${file}`, text);
    write('pay.test.js', blockOf(PAGE, 'js test'));

    const client = blockOf(PAGE, 'js pay');
    const fix = blockOf(PAGE, 'js fix');
    const fixed = client.replace(/^ *body: .*\n/m, fix);
    expect(fixed).not.toBe(client);
    for (const [code, block] of [
      [client, 'console fails'],
      [fixed, 'console passes'],
    ] as const) {
      write('pay.js', code);
      const [, command, output] = /^\$ (.*)\n([\s\S]*)$/.exec(blockOf(PAGE, block)) ?? [];
      expect(command).toBe('npx vitest run');
      const line =
        'node node_modules/vitest/vitest.mjs run --root . --testTimeout 60000 2>&1 || true';
      expect(sh(shop, line).trim()).toMatch(matching(`${output}`.trim()));
    }
  });

  it('starts the mock, which has a balance', async (context) => {
    needs(context, 'curl');
    const shell = openShell();
    const ready = await shell.start(blockOf(PAGE, 'sh start').replace('npx ', ''));
    runExamples(
      shell,
      ready,
      at(ready, PAGE.replace('```console balance', '```console').split('## Add')[0] ?? ''),
    );
  });
});

/** Runs a line in a folder as it is outside of a test: offline, and with no vitest around it. */
function sh(cwd: string, line: string): string {
  const env = {
    ...cleanEnv(),
    NO_COLOR: '1',
    npm_config_offline: 'true',
    // `dist` is there; to build it is what other tests show.
    npm_config_ignore_scripts: 'true',
  };
  return execFileSync('sh', ['-c', line], { cwd, env, encoding: 'utf8', stdio: 'pipe' });
}

it('docs/get-started.md shows a script that starts a mock on free ports', (context) => {
  needs(context, 'curl');
  const said = JSON.parse(openShell().run(blockOf(PAGE, 'sh script')));
  expect(said).toMatchObject({ ready: true, url: expect.stringContaining('https://localhost:') });
});

it('docs/get-started.md shows the ready record with its fields', async () => {
  const ready = await openShell().start('momo-mock');
  expect(Object.keys(JSON.parse(blockOf(PAGE, 'json ready')))).toEqual(Object.keys(ready));
});

it('docs/get-started.md shows how to change the balance', async (context) => {
  needs(context, 'curl');
  const section = sectionsOf(PAGE).find(({ title }) => title === 'Change the balance');
  await tryExamples(`${section?.text}`);
});
