// Makes a dist that runs with node_modules beside it: `npm run build:plain`, with
// options of tsc.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPage } from './page.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const args = process.argv.slice(2);
const { outDir = resolve(ROOT, 'dist') } = parseArgs({
  args,
  options: { outDir: { type: 'string' } },
  strict: false,
}).values;

const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', ...args];
execFileSync(process.execPath, tsc, { cwd: ROOT, stdio: 'inherit' });
await buildPage(outDir);
