import { globSync } from 'tinyglobby';
import { defineConfig } from 'vitest/config';
import type { TestProject } from 'vitest/node';
import { PIECES } from './pieces.mjs';
import { SoonestFirst } from './soonest-first.ts';
import { WarmThread } from './warm-thread.ts';

const {
  mutate,
  tests,
  without = [],
  isolate = false,
} = PIECES[process.env.MUTATION_PIECE ?? ''] ?? { mutate: [], tests: [] };

export default defineConfig({
  plugins: [
    {
      name: 'warm-thread',
      // Stryker asks for a pool by name, which beats the one that is configured.
      configureVitest({ project }: { project: TestProject }) {
        const createPoolWorker = (options: ConstructorParameters<typeof WarmThread>[0]) =>
          new WarmThread(options);
        project.config.pool = 'warm';
        project.config.poolRunner = { name: 'warm', createPoolWorker };
      },
    },
  ],
  test: {
    include: tests.map((path) => `${path}.test.ts`),
    exclude: without.map((path) => `${path}.test.ts`),
    setupFiles: 'test/mutation/fresh-modules.mjs',
    // Where tests replace modules, they have to load them.
    provide: { mutated: isolate ? [] : globSync(mutate) },
    isolate,
    sequence: { sequencer: SoonestFirst },
    // A mutant that hangs is one that is seen. Tests take a fraction of this on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 20_000,
    expect: { poll: { timeout: 8_000 } },
  },
});
