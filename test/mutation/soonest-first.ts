import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Runs files that failed for the mutant before first, then those that take the least time: the
 * first test that fails ends a run. vitest runs those that take the most time first.
 */
export class SoonestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
      .map((file) => ({ file, rank: this.#rank(file) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ file }) => file);
  }

  #rank({ project, moduleId }: TestSpecification): number {
    const key = `${project.name}:${relative(this.ctx.config.root, moduleId)}`;
    const { failed = false, duration = 0 } = this.ctx.cache.getFileTestResults(key) ?? {};
    return failed ? -1 : duration;
  }
}
