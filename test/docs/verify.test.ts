import { expect, it } from 'vitest';
import { RECIPES } from '../examples/recipe.ts';
import { EXPECTATION, WEBHOOK_EXPECTATION } from '../support/program.ts';
import { blockOf, blocksOf, codeOf, readDocument, rowsBelow } from './documents.ts';
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

it('docs/verify.md shows every language except those of Node', () => {
  const shown = excerpts.map(({ file }) => file.split('/')[1]).filter((it) => it !== 'presets.md');
  const ofNode = ['browser', 'node', 'node-test', 'vitest'];
  expect(shown.toSorted()).toEqual(RECIPES.filter((name) => !ofNode.includes(name)).toSorted());
});

it('docs/verify.md names every field of an expectation', () => {
  const named = rowsBelow(DOCUMENT, 'Verify requests in Node').flatMap(([cell = '']) =>
    codeOf(cell),
  );
  const { properties } = EXPECTATION as unknown as { properties: object };
  expect(named.toSorted()).toEqual(Object.keys(properties).toSorted());
});

it('docs/verify.md names every field of a webhook expectation', () => {
  const named = rowsBelow(DOCUMENT, 'Verify webhooks').flatMap(([cell = '']) => codeOf(cell));
  const { properties } = WEBHOOK_EXPECTATION as unknown as { properties: object };
  expect(named.toSorted()).toEqual(Object.keys(properties).toSorted());
});

it('docs/verify.md shows a vitest test that passes', () => {
  const project = openNodeProject();
  project.write('client.js', blockOf(readDocument('docs/isolate-tests.md'), 'js client'));
  project.write('client.test.js', blockOf(DOCUMENT, 'js vitest'));
  expect(project.vitest()).toMatch(/Tests .*1 passed/);
});
