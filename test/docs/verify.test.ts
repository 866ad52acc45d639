import { expect, it } from 'vitest';
import { PROJECTS } from '../examples/recipe.ts';
import { blockOf, blocksOf, readDocument } from './documents.ts';
import { openNodeProject } from './node-project.ts';

const DOCUMENT = readDocument('docs/verify.md');

const excerpts = blocksOf(DOCUMENT).flatMap(({ info, text }) => {
  const [, file] = /^\w+ excerpt (\S+)$/.exec(info) ?? [];
  return file === undefined ? [] : [{ file, lines: text.trim().split('\n') }];
});

it.each(excerpts)('docs/verify.md shows lines of $file, which a test runs', ({ file, lines }) => {
  const all = readDocument(file)
    .split('\n')
    .map((line) => line.trim());
  for (const line of lines) expect(all).toContain(line);
});

it('docs/verify.md shows every language but those of Node', () => {
  const shown = excerpts.map(({ file }) => file.split('/')[1]).filter((it) => it !== 'providers');
  const ofNode = ['browser', 'node', 'node-test', 'vitest'];
  expect(shown.toSorted()).toEqual(PROJECTS.filter((name) => !ofNode.includes(name)).toSorted());
});

it('docs/verify.md shows a test for vitest that passes', () => {
  const project = openNodeProject();
  project.write('client.js', blockOf(readDocument('docs/isolate-tests.md'), 'js client'));
  project.write('client.test.js', blockOf(DOCUMENT, 'js vitest'));
  expect(project.vitest()).toMatch(/Tests .*1 passed/);
});
