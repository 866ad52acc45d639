import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node';

/** Reasons that nothing which can be installed removes: another Node or user, a command of its own. */
const STAYS = /^(this (Node|machine) |only root can |npm run torture )/;

/**
 * Says at the end of a run how many tests were skipped, and why. A skip without a reason fails the
 * run. With TEST_SKIPS=none, where all that tests need is installed, so does what is not installed.
 */
export default class Skips implements Reporter {
  #vitest: Vitest | undefined;
  /** Whether some tests were chosen, by their name or line. */
  #isPart = false;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const isNamed = Boolean(this.#vitest?.config.testNamePattern);
    this.#isPart = isNamed || specifications.some(({ testLines = [] }) => testLines.length > 0);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap(({ children }) => [...children.allTests('skipped')]);
    const reasons = skipped
      .map(reasonFor)
      .filter((reason) => reason !== undefined || !this.#isPart);
    if (reasons.length === 0) return;
    process.stdout.write('\nTests were skipped:\n');
    for (const reason of new Set(reasons)) {
      const count = reasons.filter((one) => one === reason).length;
      const words = reason ?? 'no reason given: give one';
      process.stdout.write(`${String(count).padStart(5)}  ${words}\n`);
    }
    const isMissing = (reason = '') => process.env.TEST_SKIPS === 'none' && !STAYS.test(reason);
    if (reasons.some((reason) => reason === undefined || isMissing(reason))) process.exitCode = 1;
  }
}

function reasonFor(test: TestCase): string | undefined {
  const result = test.result();
  return (result.state === 'skipped' && result.note) || test.meta().whySkipped;
}

declare module 'vitest' {
  interface TaskMeta {
    /** Why all tests of a suite are skipped. */
    whySkipped?: string;
  }
}
