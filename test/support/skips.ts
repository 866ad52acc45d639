import type { Reporter, TestModule } from 'vitest/node';

/**
 * Says at the end of a run how many tests were skipped, and why. With TEST_SKIPS=none, where all that
 * tests need is installed, a skip fails the run.
 */
export default class Skips implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const test of modules.flatMap(({ children }) => [...children.allTests('skipped')])) {
      const result = test.result();
      const reason = (result.state === 'skipped' && result.note) || 'no reason given';
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    if (counts.size === 0) return;
    process.stdout.write('\nTests were skipped:\n');
    for (const [reason, count] of counts)
      process.stdout.write(`${String(count).padStart(5)}  ${reason}\n`);
    if (process.env.TEST_SKIPS === 'none') process.exitCode = 1;
  }
}
