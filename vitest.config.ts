import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts', 'test/docs/held-setup.ts'],
    // All cores: vitest leaves one of them free, and most tests wait for a process of their own.
    maxWorkers: '100%',
    // For machines that are busy: no test is about time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
