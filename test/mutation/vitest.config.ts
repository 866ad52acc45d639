import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/mock/**/*.test.ts', 'test/fixtures/**/*.test.ts'],
  },
});
