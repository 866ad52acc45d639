import { defineConfig } from 'vitest/config';
import { PIECES } from './pieces.mjs';

const { tests, spawns } = PIECES[process.env.MUTATION_PIECE ?? ''] ?? { tests: [] };

export default defineConfig({
  test: {
    include: tests.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`)),
    ...(spawns && { setupFiles: 'test/mutation/spawned-mutants.mjs' }),
    // One thread for all files, which have their libraries loaded once.
    isolate: false,
    // A mutant that hangs is one that is seen. Tests take a fraction of this on a busy machine.
    testTimeout: 10_000,
    hookTimeout: 10_000,
    expect: { poll: { timeout: 5_000 } },
  },
});
