import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { run } from '../support/command-in-process.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { startMomoMock } from '../support/momo-mock.ts';

/** All files of the shipped tree, by their path in it. */
const SHIPPED = readdirSync('fixtures', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice('fixtures/'.length))
  .sort();

const SCHEMAS = ['drill', 'response', 'responses', 'state-file'].map(
  (name) => `_schemas/${name}.schema.json`,
);

it.each([[[]], [['--']]])(
  'init with %j before the folder copies the whole tree, ordered by name, and says how to serve it',
  async (before) => {
    const folder = join(temporaryFolder(), 'a/b');
    const files = [...SHIPPED, ...SCHEMAS, 'state.json', 'momo/balance.get.slow.response.json'];
    const lines = files.map((path) => `written  ${join(folder, path)}\n`);
    const how = `\nEdit the files, then start the mock: momo-mock --fixtures-dir ${folder}\n`;
    const stdout = lines.join('') + how;
    expect(await run(['init', ...before, folder])).toEqual({ code: 0, stdout, stderr: '' });
    for (const path of SHIPPED) {
      expect(readFileSync(join(folder, path))).toEqual(readFileSync(join('fixtures', path)));
    }
  },
);

it('init writes to ./fixtures by default, and keeps existing files', async () => {
  const cwd = temporaryFolder();
  writeFiles(cwd, { 'fixtures/momo/balance.get.json': '{"mine":1}' });
  const { code, stdout } = await runCommand(['init'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('kept     fixtures/momo/balance.get.json\n');
  expect(stdout).toContain('written  fixtures/errors/401.json\n');
  // The schemas are those of this version.
  writeFiles(cwd, { 'fixtures/_schemas/state-file.schema.json': 'old' });
  const again = (await runCommand(['init'], { cwd })).stdout;
  expect(again).toContain('kept     fixtures/state.json\n');
  expect(again).toContain('written  fixtures/_schemas/state-file.schema.json\n');
  expect(readFileSync(join(cwd, 'fixtures/_schemas/state-file.schema.json'), 'utf8')).not.toBe(
    'old',
  );
  expect(stdout).toMatch(/\nEdit the files, then start the mock: momo-mock\n$/);
  expect(readFileSync(join(cwd, 'fixtures/momo/balance.get.json'), 'utf8')).toBe('{"mine":1}');
});

it.each([
  ['a file is in the place of the folder', { tree: '' }],
  ['a folder of the tree is a file', { 'tree/errors': '' }],
])('init fails if %s', async (_case, files) => {
  const folder = temporaryFolder();
  writeFiles(folder, files);
  const { code, stderr } = await run(['init', join(folder, 'tree')]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Failed to write \/.+\/tree\/errors: E\w+\. Use a writable folder\.\n$/);
});

it('init does not write through links, except for its folder', async () => {
  const outside = temporaryFolder();
  const folder = temporaryFolder();
  writeFiles(outside, { 'target.json': 'mine' });
  mkdirSync(join(folder, 'tree/_schemas'), { recursive: true });
  const links = ['errors/401.json', '_schemas/state-file.schema.json', 'state.json'];
  mkdirSync(join(folder, 'tree/errors'));
  for (const link of links) symlinkSync(join(outside, 'target.json'), join(folder, 'tree', link));
  symlinkSync(join(folder, 'tree'), join(folder, 'link'));
  const { code, stdout } = await run(['init', join(folder, 'link')]);
  expect(code).toBe(0);
  for (const link of links) expect(stdout).toContain(`kept     ${join(folder, 'link', link)}\n`);
  expect(readFileSync(join(outside, 'target.json'), 'utf8')).toBe('mine');
});

it.each(['_schemas', 'momo'])('init fails if the folder %s is a link', async (name) => {
  const outside = temporaryFolder();
  const folder = temporaryFolder();
  symlinkSync(outside, join(folder, name));
  const { code, stderr } = await run(['init', folder]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `Failed to write ${join(folder, name)}: it is a link. Replace it with a folder.\n`,
  });
  expect(readdirSync(outside)).toEqual([]);
});

it('init --preset copies the tree of the preset, with the modules that its handlers share', async () => {
  const cwd = temporaryFolder();
  const { code, stdout } = await runCommand(['init', '--preset', 'chipdeals'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(/\nEdit the files, then start the mock: momo-mock --preset chipdeals\n$/);
  expect(stdout).not.toContain('kept');
  const tree = 'presets/chipdeals/fixtures';
  const files = readdirSync(tree, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.\w+$/.test(name),
  );
  expect(files).toContain('_api.js');
  for (const file of files) {
    expect(readFileSync(join(cwd, 'fixtures', file))).toEqual(readFileSync(join(tree, file)));
  }
  // It needs nothing of the preset any more.
  await (await startMomoMock({ fixturesDir: join(cwd, 'fixtures') })).close();
});

it('init keeps an existing file for the same operation as a file of the preset', async () => {
  const folder = temporaryFolder();
  writeFiles(folder, { 'momo/balance.get.json': '{}', 'errors/404.http': 'HTTP/1.1 404\n\n' });
  const { stdout } = await run(['init', '--preset', 'chipdeals', folder]);
  expect(stdout).toContain(`kept     ${folder}/momo/balance.get.json\n`);
  expect(stdout).toContain(`kept     ${folder}/errors/404.http\n`);
  expect(stdout).toContain(`momo-mock --preset chipdeals --fixtures-dir ${folder}\n`);
  await (await startMomoMock({ fixturesDir: folder })).close();
});

it('init names the known presets if the preset does not exist', async () => {
  const { code, stdout, stderr } = await run(['init', '--preset', 'other', temporaryFolder()]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe(
    'Failed to find the preset "other": there is no preset with this name. Use one of: chipdeals, mpesa-daraja, mtn-momo.\n',
  );
});
