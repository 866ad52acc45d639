import { readFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Which files may skip tests, by the reason; none where everything has to run. */
const EXPECTED: Readonly<Record<string, readonly string[]>> =
  process.env.TEST_SKIPS === 'none'
    ? {}
    : JSON.parse(readFileSync(new URL('skips.json', import.meta.url), 'utf8'));

/**
 * Says at the end of a run how many tests were skipped, and why. In CI a skip that is not in
 * `skips.json`, with its file and its reason, fails the run.
 */
export default class Skips implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    const unexpected = new Set<string>();
    for (const module of modules) {
      const file = module.relativeModuleId;
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        const reason = (result.state === 'skipped' && result.note) || 'no reason given';
        counts.set(reason, (counts.get(reason) ?? 0) + 1);
        if (!EXPECTED[reason]?.includes(file)) unexpected.add(`${file}: ${reason}`);
      }
    }
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (total === 0) return;
    process.stdout.write(`\n${total} tests were skipped:\n`);
    for (const [reason, count] of counts)
      process.stdout.write(`${String(count).padStart(5)}  ${reason}\n`);
    if (!process.env.CI || unexpected.size === 0) return;
    process.stderr.write('Failed to find these skips in test/skips.json:\n');
    for (const skip of unexpected) process.stderr.write(`  ${skip}\n`);
    process.exitCode = 1;
  }
}
