import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, run } from '../support/command-in-process.ts';

/** All files of the shipped tree, by their path in it. */
const SHIPPED = readdirSync('fixtures', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice('fixtures/'.length))
  .sort();

test('copies the whole tree, in the order of its names, and says how to serve it', async () => {
  const folder = join(emptyFolder(), 'a/b');
  const { code, stdout, stderr } = await run(['init', folder]);
  const lines = SHIPPED.map((path) => `written  ${join(folder, path)}\n`);
  const how = `\nEdit the files, then start the mock: momo-mock --fixtures-dir ${folder}\n`;
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: lines.join('') + how, stderr: '' });
  for (const path of SHIPPED) {
    expect(readFileSync(join(folder, path))).toEqual(readFileSync(join('fixtures', path)));
  }
});

test('keeps what is there', async () => {
  const folder = emptyFolder();
  mkdirSync(join(folder, 'momo'));
  const file = join(folder, 'momo/balance.get.json');
  writeFileSync(file, '{"mine":1}');
  expect((await run(['init', folder])).stdout).toContain(`kept     ${file}\n`);
  expect(readFileSync(file, 'utf8')).toBe('{"mine":1}');
});

test.each([
  ['a file is in the place of a folder', '', 'errors'],
  ['a folder of the tree is a file', 'errors', 'errors'],
])('fails where %s', async (_case, file, named) => {
  const folder = join(emptyFolder(), 'tree');
  if (file !== '') mkdirSync(folder);
  writeFileSync(join(folder, file), '');
  const { code, stderr } = await run(['init', folder]);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    new RegExp(`^Failed to write ${folder}/${named}: E\\w+\\. Use a writable folder\\.\n$`),
  );
});
