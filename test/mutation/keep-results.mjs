// A plugin for Stryker: keeps each result as soon as it is there. Stryker itself writes its
// incremental file at the end, so a run that is cut off would begin again.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';

/** How many results are kept together, since each writes the whole file. */
const TOGETHER = 10;

class KeepResults {
  static inject = tokens(commonTokens.options);

  #report = { schemaVersion: '1.0', thresholds: { high: 80, low: 60 }, files: {}, testFiles: {} };
  #count = 0;
  #file;

  constructor({ incrementalFile }) {
    this.#file = incrementalFile;
    mkdirSync(dirname(incrementalFile), { recursive: true });
  }

  onDryRunCompleted({ result: { tests } }) {
    for (const { id, name, fileName } of tests) {
      const path = relative('.', fileName);
      this.#report.testFiles[path] ??= { source: readFileSync(path, 'utf8'), tests: [] };
      this.#report.testFiles[path].tests.push({ id, name });
    }
  }

  onMutantTested({ fileName, ...mutant }) {
    const path = relative('.', fileName);
    const source = () => readFileSync(path, 'utf8');
    this.#report.files[path] ??= { language: 'typescript', source: source(), mutants: [] };
    this.#report.files[path].mutants.push(mutant);
    this.#count += 1;
    if (this.#count % TOGETHER === 0) writeFileSync(this.#file, JSON.stringify(this.#report));
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.Reporter, 'keep-results', KeepResults),
];
