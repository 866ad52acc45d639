import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PREFIX, SETTINGS, shippedFixtures } from '../support/program.ts';
import { readDocument, rowsBelow } from './documents.ts';

const CONTRACT = readDocument('docs/contract.md');
const stated = rowsBelow(CONTRACT, 'Stated');
const assumed = rowsBelow(CONTRACT, 'Assumed');
const NUMBERS = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C7'];

/** Files of a user's own, which no path can name. */
const OWN_FILES = [
  '`.http` files',
  "`[name]` in a file's path",
  '`<segment>.options.json`',
  'your own files',
];

it('docs/contract.md has the numbered statements of the contract', () => {
  expect(stated.map(([number]) => number).filter((cell) => /^C\d$/.test(cell ?? ''))).toEqual(
    NUMBERS,
  );
});

it('docs/contract.md gives a number for each stated behavior, and uses every number', () => {
  const behaviours = stated.filter(([first]) => !/^C\d$/.test(first ?? ''));
  const used = behaviours.map(([, , by = '']) => by.split(', '));
  expect(behaviours.length).toBeGreaterThan(10);
  expect([...new Set(used.flat())].sort()).toEqual(NUMBERS);
});

it.each([...stated.filter(([first]) => !/^C\d$/.test(first ?? '')), ...assumed])(
  'the row "%s" links a test',
  (...cells) => {
    expect(cells.at(-1)).toContain('](../test/');
  },
);

it.each(assumed)('the row "%s" names an existing file or setting: %s', (_behaviour, changedBy) => {
  const isThere = (code: string) =>
    Object.keys(SETTINGS).includes(code.slice(PREFIX.length)) ||
    existsSync(join(shippedFixtures, code));
  if (changedBy === 'fixed' || OWN_FILES.includes(changedBy ?? '')) return;
  const codes = (changedBy ?? '').split(', ').map((cell) => /^`(.+)`$/.exec(cell)?.[1] ?? '');
  expect(codes.filter((code) => code === '' || !isThere(code))).toEqual([]);
});
