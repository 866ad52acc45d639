import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { control } from '../support/client.ts';
import { needs } from '../support/machine.ts';
import { blockOf, blocksOf, readDocument } from './documents.ts';
import { at, examplesOf, runExamples } from './examples.ts';
import { openNodeProject } from './node-project.ts';
import { openShell } from './shell.ts';

const PAGE = readDocument('docs/snapshots.md');

it('docs/snapshots.md shows only blocks that this test runs', () => {
  const kinds = ['js run', 'js vitest', 'console account', 'console mock', 'sh file'];
  expect(new Set(blocksOf(PAGE).map(({ info }) => info))).toEqual(new Set(kinds));
});

it('docs/snapshots.md shows a program with its output', () => {
  const project = openNodeProject();
  project.write('main.js', blockOf(PAGE, 'js run'));
  const [, printed] = /It prints `([^`]+)`/.exec(PAGE) ?? [];
  expect(project.run('node main.js')).toBe(`${printed}\n`);
});

it('docs/snapshots.md shows a vitest test that passes', () => {
  const project = openNodeProject();
  project.write('customer.test.js', blockOf(PAGE, 'js vitest'));
  expect(project.vitest()).toMatch(/Tests .*1 passed/);
});

it('docs/snapshots.md shows commands with their output', async (context) => {
  needs(context, 'curl');
  const shell = openShell();
  const ready = await shell.start('momo-mock');
  const shown = PAGE.replaceAll(/^```console .*$/gm, '```console');
  expect(examplesOf(shown)).toHaveLength(10);
  runExamples(shell, ready, at(ready, shown));
});

it('docs/snapshots.md shows a command that stores its data in a file with the stated mode', async () => {
  const shell = openShell();
  const ready = await shell.start(blockOf(PAGE, 'sh file').trim());
  const headers = { 'content-type': 'application/json' };
  await control(ready, 'PUT /state/kept', { headers, body: '1' });
  const file = join(shell.folder, 'snapshot.json');
  await expect
    .poll(() => statSync(file, { throwIfNoEntry: false })?.mode.toString(8))
    .toMatch(/600$/);
  expect(PAGE).toContain('The mode is 0600.');
});
