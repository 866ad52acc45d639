import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const TESTS = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path}`)
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/mutation/'));

/** Whether a test has to have a process with modules of its own. */
function isApart(path: string): boolean {
  // Some put something in the place of a module, others count all that a process has of something.
  const apart = /vi\.(mock|doMock|getTimerCount)\(|getActiveResourcesInfo|queryObjects/;
  return apart.test(readFileSync(path, 'utf8'));
}

/**
 * What .ci/nightly runs and `npm test` does not, which has one of each: the first file of the page and
 * what needs no browser, and starts.
 */
const NIGHTLY = [
  'test/nightly/**/*.test.ts',
  'test/examples/examples.test.ts',
  'test/page/!(controls|first-command|hidden|page|phones|*.unit).test.ts',
  'test/endurance/!(starts|vanishing-clients).test.ts',
];

/** They keep all cores busy, so they run when all others have ended. */
const BUSY = 'test/nightly/**/*-busy.test.ts';

const APART = TESTS.filter(isApart);

/** Starts the files that take longest first, so that no core waits for another at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ['/test/examples/', '/test/tls/', '/test/package/', '/test/docs/', '/test/'];
    const place = ({ moduleId }: TestSpecification) =>
      order.findIndex((folder) => moduleId.includes(folder));
    return (await super.sort(files)).sort((one, two) => place(one) - place(two));
  }
}

/** `npm run torture` runs the long forms, which may take an hour each. */
const TEST_TIMEOUT_MS = process.env.TORTURE === 'long' ? 3_600_000 : 60_000;

const EACH = {
  // For machines that are busy, since no test is about time: only a hang takes so long. A test that
  // legitimately takes longer says why, and sets its own timeout.
  testTimeout: TEST_TIMEOUT_MS,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 30_000 } },
  // Modules are shared, so a spy that stays would count the calls of the next test.
  restoreMocks: true,
  // Titles of rows show their values whole.
  chaiConfig: { truncateThreshold: 0 },
};

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    reporters: ['default', './test/support/skips.ts', './test/support/failures.ts'],
    // Keeps modules as they are transformed, for the next run.
    experimental: { fsModuleCache: true },
    // Two more than there are cores, since tests often wait.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...EACH,
          name: 'shared modules',
          include: ['test/**/*.test.ts'],
          // Also the copies of the project that mutation tests make.
          exclude: [...configDefaults.exclude, 'test/mutation/tmp/**', ...APART, ...NIGHTLY],
          // Modules are loaded once for all files: that takes longer than most tests.
          isolate: false,
        },
      },
      { test: { ...EACH, name: 'own modules', include: APART, exclude: NIGHTLY } },
      { test: { ...EACH, name: 'nightly', include: NIGHTLY, exclude: [BUSY] } },
      {
        test: { ...EACH, name: 'nightly, busy', include: [BUSY], sequence: { groupOrder: 1 } },
      },
    ],
  },
});
