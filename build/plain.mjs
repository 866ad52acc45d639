// Makes a dist that runs with node_modules beside it: `npm run build:plain`, with
// options of tsc.
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPage } from './page.mjs';
import { replaceFolder } from './replace-folder.mjs';
import { writeSchemas } from './schemas.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const args = process.argv.slice(2);
const { outDir = resolve(ROOT, 'dist') } = parseArgs({
  args,
  options: { outDir: { type: 'string' } },
  strict: false,
}).values;

await replaceFolder(resolve(outDir), async (folder) => {
  const project = ['-p', 'tsconfig.build.json', ...args, '--outDir', folder];
  const tsc = ['node_modules/typescript/bin/tsc', ...project];
  execFileSync(process.execPath, tsc, { cwd: ROOT, stdio: 'inherit' });
  for (const file of ['redirect/momo_mock_redirect.rb', 'redirect/sitecustomize.py']) {
    cpSync(join(ROOT, 'src', file), join(folder, file));
  }
  await writeSchemas(folder);
  await buildPage(folder);
});
