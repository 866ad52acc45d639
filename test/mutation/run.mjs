import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PIECES } from './pieces.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const stryker = fileURLToPath(
  new URL('node_modules/@stryker-mutator/core/bin/stryker.js', import.meta.url),
);
for (const name of process.argv.slice(2)) {
  spawnSync(process.execPath, [stryker, 'run', 'test/mutation/stryker.config.mjs'], {
    cwd: root,
    env: { ...process.env, MUTATION_PIECE: name },
    stdio: 'inherit',
  });
}
