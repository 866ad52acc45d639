import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';

const BUILDER = `
  import { mkdirSync, writeFileSync } from 'node:fs';
  import { join } from 'node:path';
  const [, module, folder] = process.argv;
  const { replaceFolder } = await import(module);
  for (let times = 0; times < 1000; times++) {
    await replaceFolder(folder, (fresh) => {
      mkdirSync(fresh);
      for (const name of ['a', 'b']) writeFileSync(join(fresh, name), String(process.pid));
    });
  }`;

it('two builds at the same time leave one complete build, and nothing else', async () => {
  const parent = temporaryFolder();
  const module = pathToFileURL('build/replace-folder.mjs').href;
  const args = ['--input-type=module', '-e', BUILDER, module, join(parent, 'dist')];
  await Promise.all([1, 2].map(() => promisify(execFile)(process.execPath, args)));
  expect(readdirSync(parent)).toEqual(['dist']);
  const [a, b] = ['a', 'b'].map((name) => readFileSync(join(parent, 'dist', name), 'utf8'));
  expect(a).toBe(b);
});
