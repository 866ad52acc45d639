import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DOCUMENTS, readDocument, rowsBelow } from './documents.ts';
import {
  type FoundNumber,
  hasNumber,
  numbersIn,
  type Paragraph,
  paragraphsOf,
  placesOf,
  readFacts,
} from './facts.ts';
import { codeOfTest, linkedTests } from './named-tests.ts';

const FACTS = readFacts();

/** Pages of measurements, and of what was: no code has these numbers. */
const MEASURED = [
  'docs/internals/mutation-survivors.md',
  'docs/internals/performance.md',
  'CHANGELOG.md',
];
const PAGES = DOCUMENTS.filter(
  (page) => !MEASURED.includes(page) && !/^docs\/recipes|^CONTRIBUTING/.test(page),
);

describe('a fact', () => {
  it.each(FACTS)('of $page, on "$about", is there: $says', ({ test, ...fact }) => {
    const stated = paragraphsOf(fact.page).flatMap((paragraph) => placesOf(fact, paragraph));
    expect(stated, 'the page does not say so: correct it, or test/docs/facts.md').not.toEqual([]);
    if (test === undefined) return;
    const code = codeOfTest(test);
    expect(code, `there is no test "${test.title}" in ${test.file}`).toBeDefined();
    const numbers = numbersIn(fact.says).map(({ digits }) => digits);
    // The titles of the test of troubleshooting come from the page, and its numbers with them.
    if (test.title === '$title') return;
    expect(numbers.filter((number) => !hasNumber(code ?? '', number))).toEqual([]);
  });
});

describe('a number', () => {
  it.each(PAGES)('of %s is in a fact, or in a test that its row names', (page) => {
    const facts = FACTS.filter((fact) => fact.page === page);
    const unheld = paragraphsOf(page).flatMap((paragraph) => {
      const stated = facts.flatMap((fact) => placesOf(fact, paragraph));
      const tests = linkedTests(readLine(page, paragraph)).map(codeOfTest).join('\n');
      const isHeld = ({ start, end, digits }: FoundNumber) =>
        stated.some((place) => place.start <= start && end <= place.end) ||
        hasNumber(tests, digits);
      return numbersIn(factual(page, paragraph))
        .filter((number) => !isHeld(number))
        .map(({ digits }) => `${page}:${paragraph.line}: ${digits}`);
    });
    expect(unheld, 'add rows to test/docs/facts.md').toEqual([]);
  });
});

/** A line as it stands, with its links. */
function readLine(page: string, { line }: Paragraph): string {
  return readDocument(page).split('\n')[line - 1] ?? '';
}

/** What a paragraph states of the product. */
function factual(page: string, { text }: Paragraph): string {
  // settings-table.test.ts compares these rows.
  if (/^\| `MOMO_MOCK_\w+` \| `--/.test(text)) return '';
  // Diagrams, whose numbers are in facts.
  if (text.startsWith('    ')) return '';
  // Behind the first cell: what was measured, and how.
  if (page === 'docs/internals/reliability.md') return text.replace(/(?<=^\|[^|]*)\|.*/, '');
  return text;
}

it.each(rowsBelow(readDocument('docs/internals/reliability.md'), 'Reliability'))(
  'docs/internals/reliability.md: "%s" is shown by tests that there are',
  (_promise, _measured, command = '') => {
    const all = readdirSync('test', { recursive: true }).map((name) => `test/${name}`);
    const wanted = [...command.matchAll(/npm test -- ([^`]+)/g)].flatMap(([, words = '']) =>
      words.split(' '),
    );
    const files = all.filter((name) => name.endsWith('.test.ts'));
    expect(wanted.filter((word) => !files.some((file) => file.includes(word)))).toEqual([]);
    const torture = readDocument('test/torture/run.mjs');
    const names = [...command.matchAll(/npm run torture -- ([a-z]+)/g)].map(
      ([, name = '']) => name,
    );
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(torture))).toEqual([]);
  },
);
