// The long forms of the tests that try to break the mock: `npm run torture`, or
// `npm run torture -- load` for one part.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The tests of each part, which are short as long as TORTURE is not set. */
const PARTS = {
  hostile: 'test/connections/hostile-bytes.test.ts',
  // The tests that call `runs`.
  random:
    'clock/clock.unit state/state.unit page/json page/curl secrets/hostile responses/scripted-headers presets/hostile snapshot/worlds',
  starts: 'test/endurance/starts.test.ts',
  load: 'test/endurance/load.test.ts',
  clients: 'test/connections/slow-clients test/endurance/vanishing-clients',
  memory: 'test/endurance/memory.test.ts',
  fixtures: 'test/endurance/changing-fixtures.test.ts',
};

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  const all = Object.keys(PARTS).join(', ');
  process.stderr.write(`Failed to run ${unknown.join(', ')}: there are ${all}.\n`);
  process.exit(2);
}
for (const name of names.length > 0 ? names : Object.keys(PARTS)) {
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...PARTS[name].split(' ')], {
    env: { ...process.env, TORTURE: 'long' },
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
