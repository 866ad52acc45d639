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
      [size(limits.MAX_GIVEN_BYTES), size(limits.MAX_STATE_CHANGE_BYTES)],
      [`${limits.MAX_LEVELS} levels`],
      [number(limits.MAX_RESPONSES)],
      [
        size(limits.MAX_EXPECTATION_BYTES),
        `up to ${number(limits.MAX_TIMES)},`,
        `${limits.MAX_EXPECTATIONS} expectations`,
        size(limits.MAX_MESSAGE_BYTES),
      ],
      [
        size(limits.MAX_STATE_BYTES),
        `${number(limits.MAX_STATE_NAMES)} names`,
        size(limits.MAX_STATE_VALUE_BYTES),
      ],
      [
        `the year ${new Date(limits.MAX_TIME).getUTCFullYear()}`,
        `${limits.MAX_STEP_MS / 31_536_000_000} years`,
        `${number(limits.MAX_TIMERS)} timers`,
      ],
    ],
  ],
  [
    'docs/fixtures.md',
    [
      [`${number(limits.MAX_FIELDS)} fields`],
      [`${limits.MAX_LEVELS} levels`],
      [size(limits.MAX_GIVEN_BYTES)],
      [size(limits.MAX_CHECKED_BYTES)],
      [`${limits.MAX_PROBLEMS};`, size(limits.MAX_ALL_PROBLEMS_BYTES)],
      [size(limits.MAX_ALL_PROBLEMS_BYTES), `${limits.MAX_UNIQUE_ITEMS} items`],
      [size(limits.MAX_URL_BYTES), `${number(limits.MAX_FIELDS)} fields`],
      [size(limits.MAX_FIXTURE_BYTES), `${limits.MAX_LEVELS} levels`],
    ],
  ],
])('%s has the limits as they are', (page, expected) => {
  const rows = rowsBelow(readDocument(page), 'Limits').map((cells) => cells.join(' | '));
  expect(rows).toHaveLength(expected.length);
  for (const [index, words] of expected.entries()) {
    for (const word of words) expect(rows[index]).toContain(word);
  }
});
