import { expect, it } from 'vitest';
import { limits } from '../support/program.ts';
import { readDocument, rowsBelow } from './documents.ts';

const number = (count: number) => count.toLocaleString('en');
const size = (bytes: number) =>
  bytes < 1_048_576 ? `${bytes / 1024} KiB` : `${bytes / 1_048_576} MiB`;

it.each([
  [
    'docs/control.md',
    [
      [size(limits.LONGEST_GIVEN), size(limits.LONGEST_STATE_CHANGE)],
      [`${limits.MOST_LEVELS} levels`],
      [number(limits.MOST_RESPONSES)],
      [
        size(limits.LONGEST_EXPECTATION),
        `up to ${number(limits.MOST_TIMES)},`,
        `${limits.MOST_STEPS} expectations`,
        size(limits.LONGEST_MESSAGE),
      ],
      [
        size(limits.LARGEST_STATE),
        `${number(limits.MOST_STATE_NAMES)} names`,
        size(limits.LONGEST_STATE_VALUE),
      ],
      [
        `the year ${new Date(limits.LAST_TIME).getUTCFullYear()}`,
        `${limits.LONGEST_STEP / 31_536_000_000} years`,
        `${number(limits.MOST_TIMERS)} timers`,
      ],
    ],
  ],
  [
    'docs/fixtures.md',
    [
      [`${number(limits.MOST_FIELDS)} fields`],
      [`${limits.MOST_LEVELS} levels`],
      [size(limits.LONGEST_GIVEN)],
      [size(limits.LONGEST_CHECKED)],
      [`${limits.MOST_PROBLEMS};`, size(limits.LONGEST_FOR_ALL_PROBLEMS)],
      [size(limits.LONGEST_FOR_ALL_PROBLEMS), `${limits.MOST_UNIQUE_ITEMS} items`],
      [size(limits.LONGEST_URL), `${number(limits.MOST_FIELDS)} fields`],
      [size(limits.LONGEST_FIXTURE), `${limits.MOST_LEVELS} levels`],
    ],
  ],
])('%s has the limits as they are', (page, expected) => {
  const rows = rowsBelow(readDocument(page), 'Limits').map((cells) => cells.join(' | '));
  expect(rows).toHaveLength(expected.length);
  for (const [index, words] of expected.entries()) {
    for (const word of words) expect(rows[index]).toContain(word);
  }
});
