// Makes mutants reach the processes that tests start. Stryker sets the mutant and counts what a test
// covers in the process of the test alone.
import childProcess from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, inject } from 'vitest';

const stryker = globalThis[inject('globalNamespace')];
const isDryRun = inject('mode') === 'dry-run';
const folder = mkdtempSync(join(tmpdir(), 'momo-mutation-'));
/** Which test started the process that writes a file. */
const testOf = new Map();

const { spawn } = childProcess;
childProcess.spawn = (command, args, options = {}) => {
  const env = { ...(options.env ?? process.env), ...variables() };
  return spawn(command, args, { ...options, env });
};
syncBuiltinESMExports();

function variables() {
  if (!isDryRun) return { __STRYKER_ACTIVE_MUTANT__: inject('activeMutant') };
  if (stryker.currentTestId === undefined) return {};
  const file = join(folder, String(testOf.size));
  testOf.set(file, stryker.currentTestId);
  const preload = fileURLToPath(new URL('./covered.cjs', import.meta.url));
  return { MUTATION_COVERED: file, NODE_OPTIONS: `--require ${JSON.stringify(preload)}` };
}

// Last of all, since a test kills what it started when it is over.
afterAll(() => {
  for (const [file, test] of testOf) {
    const coverage = (stryker.mutantCoverage ??= { static: {}, perTest: {} });
    const covered = (coverage.perTest[test] ??= {});
    for (const mutant of linesOf(file)) covered[mutant] = (covered[mutant] ?? 0) + 1;
  }
  rmSync(folder, { recursive: true });
});

function linesOf(file) {
  try {
    return readFileSync(file, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
