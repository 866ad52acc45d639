// Loaded first by a process that a test starts: writes the mutants that it covers, each once and
// immediately, since the process may be killed.
const { appendFileSync } = require('node:fs');

const file = process.env.MUTATION_COVERED;
const counts = new Proxy(
  {},
  {
    set(target, mutant, count) {
      if (!(mutant in target)) appendFileSync(file, `${mutant}\n`);
      target[mutant] = count;
      return true;
    },
  },
);
if (file) globalThis.__stryker__ = { mutantCoverage: { static: counts, perTest: {} } };
