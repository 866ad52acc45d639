// How Stryker runs the piece that MUTATION_PIECE names; run.mjs sets it.
import { PIECES } from './pieces.mjs';

const name = process.env.MUTATION_PIECE;
const { mutate } = PIECES[name];

export default {
  mutate,
  testRunner: 'vitest',
  plugins: [
    '@stryker-mutator/vitest-runner',
    './test/mutation/texts.mjs',
    './test/mutation/keep-results.mjs',
  ],
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  ignorers: ['texts'],
  coverageAnalysis: 'perTest',
  // What runs while a module is loaded would need all tests of the piece for each mutant.
  ignoreStatic: true,
  concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 2),
  timeoutMS: 20_000,
  // Names none: what Stryker does to it fails with TypeScript 7, and vitest does not need it.
  tsconfigFile: 'none',
  ignorePatterns: ['/bench', '/certs', '/.ci', '/.github', '/test/mutation/reports'],
  tempDirName: 'test/mutation/tmp',
  incremental: true,
  incrementalFile: `test/mutation/reports/${name}.json`,
  reporters: ['keep-results', 'progress-append-only', 'clear-text', 'html'],
  clearTextReporter: {
    allowColor: false,
    logTests: false,
    reportTests: false,
    reportScoreTable: false,
  },
  htmlReporter: { fileName: `test/mutation/reports/${name}.html` },
};
