import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, readDocument } from './documents.ts';
import { REQUESTS, requestsAt, tablesIn, withTables } from './tables.ts';

const PAGES = [
  'docs/control.md',
  'docs/settings.md',
  'docs/command-line.md',
  'docs/limits-and-errors.md',
];

it.each(PAGES)('the tables of %s are up to date with npm run docs', async (page) => {
  const text = readDocument(page);
  expect(tablesIn(text).length).toBeGreaterThan(0);
  // With --update, it writes the page.
  await expect(withTables(text)).toMatchFileSnapshot(join(ROOT, page));
});

it('docs/control.md has each request of the control API in one table, with its parameters', () => {
  const tables = tablesIn(readDocument('docs/control.md'));
  const shown = (wanted: string) =>
    tables
      .filter(({ kind }) => kind === wanted)
      .flatMap(({ of }) => requestsAt(of).map(([name]) => name))
      .sort();
  expect(shown('requests')).toEqual(REQUESTS.map(([name]) => name).sort());
  const withParameters = REQUESTS.filter(([, { parameters = [] }]) =>
    parameters.some((one) => one.in !== 'path' && !['apikey', 'account'].includes(one.name)),
  );
  expect(shown('parameters')).toEqual(expect.arrayContaining(withParameters.map(([name]) => name)));
});
