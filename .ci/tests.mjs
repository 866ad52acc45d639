// Runs `npm test` where nothing is as usual: in another language and time zone, without a home, in a
// random order. Root runs it as another user, whom the system keeps from something, in a copy whose
// path is not plain; then the tests that need root. Prints a tally of all at the end.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeRunFolder } from '../test/support/run-folder.mjs';

const NOBODY = 65534;
const { HOME: _home, ...env } = process.env;
const scratch = makeRunFolder('momo-mock-check-');
const tally = { passed: 0, failed: 0, skipped: 0 };
try {
  if (process.getuid() === 0) {
    const folder = join(scratch, 'a b ü/momo-mock');
    mkdirSync(join(scratch, 'a b ü'));
    execFileSync('cp', ['-a', '.', folder]);
    execFileSync('chown', ['-R', `${NOBODY}`, scratch]);
    run(folder, NOBODY);
    // Nobody else may read the folder.
    chmodSync(scratch, 0o700);
    execFileSync('chown', ['0', scratch]);
    run(folder, 0, ofRoot());
  } else run('.', process.getuid());
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.stdout.write(
  `\n${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped\n`,
);

/** Runs tests, all by default, in a folder as a user. */
function run(folder, uid, files = []) {
  const report = join(scratch, `report-${uid}.json`);
  const own = ['skips', 'failures'].map((name) => `./test/support/${name}.ts`);
  const reporters = ['default', ...own, 'json'].map((name) => `--reporter=${name}`);
  const shuffle = ['--sequence.shuffle.tests', `--sequence.seed=${Date.now()}`];
  const args = [...reporters, `--outputFile.json=${report}`, ...shuffle, ...files];
  const { status } = spawnSync('npm', ['test', '--', ...args], {
    cwd: folder,
    env: { ...env, TEST_BUILD: 'none', CI: 'true', TZ: 'Pacific/Auckland', LANG: 'tr_TR.UTF-8' },
    ...(uid !== process.getuid() && { uid, gid: uid }),
    stdio: 'inherit',
  });
  const { numPassedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap(({ status, assertionResults }) => {
    const own = assertionResults.filter((test) => test.status === 'failed');
    // A file that fails before its first test has no failed test.
    return own.length === 0 && status === 'failed' ? ['the file'] : own;
  });
  tally.passed += numPassedTests;
  tally.failed += failed.length;
  tally.skipped += numPendingTests;
  if (status !== 0 || numPassedTests === 0) process.exitCode = 1;
}

/** The files with tests that need root: they say so where they skip them. */
function ofRoot() {
  const all = readdirSync('test', { recursive: true }).filter((name) => name.endsWith('.test.ts'));
  const files = all.map((name) => join('test', name));
  const found = files.filter((file) => readFileSync(file, 'utf8').includes("'only root can"));
  if (found.length === 0) throw new Error('No test says that only root can do something.');
  return found;
}
