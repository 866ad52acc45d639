import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Variables that change what tests do. */
const VARIABLES = ['TEST_BUILD', 'TORTURE', 'TORTURE_SEED', 'TZ'];
/** In CI, which sets it, too. Elsewhere, it is that of the user. */
if (process.env.CI === 'true') VARIABLES.push('LANG');

/** Prints at the end of a run, for each test that failed, the line that runs it again. */
export default class Failures implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const failed = modules.filter((module) => module.state() === 'failed');
    if (failed.length === 0) return;
    process.stdout.write('\nTo run again what failed:\n');
    for (const module of failed) {
      const tests = [...module.children.allTests('failed')];
      for (const test of tests) this.#write(module, `-t ${quoted(patternFor(test))}`);
      if (tests.length === 0) this.#write(module);
      const { shuffle, seed } = this.#vitest?.config.sequence ?? {};
      if (shuffle) this.#write(module, `--sequence.shuffle.tests --sequence.seed=${seed}`);
    }
  }

  #write({ moduleId }: TestModule, flags = ''): void {
    const set = VARIABLES.filter((name) => process.env[name] !== undefined);
    const variables = set.map((name) => `${name}=${quoted(`${process.env[name]}`)} `).join('');
    const file = quoted(relative(`${this.#vitest?.config.root}`, moduleId));
    process.stdout.write(`  ${variables}npx vitest run ${file} ${flags}`.trimEnd().concat('\n'));
  }
}

/** The regular expression for the whole name of a test. */
function patternFor({ fullName }: TestCase): string {
  const name = fullName.split(' > ').join(' ');
  return `^${name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;
}

/** A word for a shell. */
function quoted(text: string): string {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
