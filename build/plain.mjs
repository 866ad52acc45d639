// Makes a dist that runs with node_modules beside it: `npm run build:plain`.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPage } from './page.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const { outDir } = parseArgs({
  options: { outDir: { type: 'string', default: resolve(ROOT, 'dist') } },
}).values;

const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', outDir];
execFileSync(process.execPath, tsc, { cwd: ROOT, stdio: 'inherit' });
await buildPage(outDir);
