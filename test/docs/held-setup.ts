import type { TestProject } from 'vitest/node';
import { readDocument } from './documents.ts';
import { readFacts } from './facts.ts';
import { isNamed, linkedTests, type NamedTest } from './named-tests.ts';

/**
 * Fails a run in which a test did not run that docs/contract.md or facts.md name, in a file that
 * did: one that is only text, or was renamed. A test that was skipped counts: skips are accounted
 * for elsewhere.
 */
export function setup({ vitest }: TestProject): () => void {
  return () => {
    const facts = readFacts().flatMap(({ test }) => test ?? []);
    const named = [...linkedTests(readDocument('docs/contract.md')), ...facts];
    const ran = new Map<string, string[]>();
    for (const module of vitest.state.getTestModules()) {
      const names = [...module.children.allTests()].map(({ name }) => name);
      ran.set(module.relativeModuleId, names);
    }
    const isMissing = ({ file, title }: NamedTest) =>
      ran.get(file)?.some((name) => isNamed(name, title)) === false;
    const missing = named.filter(isMissing).map(({ file, title }) => `${file}: ${title}`);
    if (missing.length === 0) return;
    const list = [...new Set(missing)].join('\n  ');
    process.stderr.write(`Failed to find these tests, which hold what the pages say:\n  ${list}\n`);
    process.exitCode = 1;
  };
}
