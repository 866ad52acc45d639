import { expect, it, vi } from 'vitest';
import { send } from '../support/client.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { needsPython } from '../support/machine.ts';
import { startMock } from '../support/mock.ts';
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

it('docs/another-provider.md shows a payment without JavaScript, with its webhook', async () => {
  const files = filesOf(PAGE).map(({ file, text }) => [file, text]);
  const mock = await startMock(Object.fromEntries(files), {
    keyIn: 'basic,bearer',
    base: 'none',
  });
  const headers = { authorization: `Basic ${btoa(`${mock.apiKey}:`)}` };
  const response = await send(mock, '/refunds', { method: 'POST', headers });
  expect(response.status).toBe(202);
  await mock.advance('idle');
  expect(await mock.webhooks()).toMatchObject([{ url: 'http://localhost:3000/webhooks' }]);
});

it('docs/another-provider.md shows no other block, and only places for keys that exist', () => {
  expect(blocksOf(PAGE).map(({ info }) => info)).toEqual([
    'js file=token.post.js',
    'js',
    'js file=health.get.js',
    'js file=payments.post.js',
    'json file=refunds.post.response.json',
    'python test',
    'sh run',
  ]);
  const places = rowsBelow(PAGE, 'Where the key is')
    .map((cells) => (cells.length === 2 ? cells[0] : cells[3]))
    .map((place = '') => place.slice(1, -1));
  expect(places.filter((place) => !isKeyPlace(place))).toEqual([]);
  expect(places).toHaveLength(7 + 3);
});
