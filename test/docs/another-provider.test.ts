import { expect, it, vi } from 'vitest';
import { writeFiles } from '../support/fixture-folder.ts';
import { needsPython } from '../support/machine.ts';
import { isKeyPlace } from '../support/program.ts';
import { blockOf, blocksOf, filesOf, fixturesOf, readDocument, rowsBelow } from './documents.ts';
import { openShell } from './shell.ts';

// It installs a project and runs its tests, which takes half a minute on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const PAGE = readDocument('docs/another-provider.md');

it('docs/another-provider.md shows a test in Python that passes', (context) => {
  needsPython(context, 'requests', 'pytest');
  const shell = openShell();
  writeFiles(shell.folder, {
    ...fixturesOf(filesOf(PAGE)),
    'test_shop.py': blockOf(PAGE, 'python test'),
  });
  expect(shell.run(`${blockOf(PAGE, 'sh run').trim()} 2>&1`)).toMatch(/4 passed/);
});

it('docs/another-provider.md shows no other block, and only places for keys that exist', () => {
  expect(blocksOf(PAGE).map(({ info }) => info)).toEqual([
    'js file=token.post.js',
    'js file=payments.post.js',
    'python test',
    'sh run',
  ]);
  const places = rowsBelow(PAGE, 'Where the key is').map(([place = '']) => place.slice(1, -1));
  expect(places.filter((place) => !isKeyPlace(place))).toEqual([]);
  expect(places).toHaveLength(6);
});
