import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, readDocument } from './documents.ts';
import { REQUESTS, requestsAt } from './openapi.ts';
import { tablesIn, withTables } from './tables.ts';

const PAGES = [
  'docs/control.md',
  'docs/control-reference.md',
  'docs/command-line.md',
  'docs/drill.md',
  'docs/limits-and-errors.md',
  'docs/library.md',
  'docs/isolate-tests.md',
  'docs/providers/chipdeals.md',
  'docs/verify.md',
  'docs/webhooks.md',
];

it.each(PAGES)('%s has tables that are up to date: npm run docs', async (page) => {
  const text = readDocument(page);
  expect(tablesIn(text).length).toBeGreaterThan(0);
  // With --update, it writes the page.
  await expect(withTables(text)).toMatchFileSnapshot(join(ROOT, page));
});

it.each([
  ['docs/control.md', 'calls'],
  ['docs/control-reference.md', 'reference'],
])('%s has each call once', (page, kind) => {
  const shown = tablesIn(readDocument(page))
    .filter((table) => table.kind === kind)
    .flatMap(({ of }) => of.split(' '))
    .flatMap((path) => requestsAt(path).map(([name]) => name));
  expect(shown.toSorted()).toEqual(REQUESTS.map(([name]) => name).toSorted());
});
