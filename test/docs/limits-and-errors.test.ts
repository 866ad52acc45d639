import { expect, it } from 'vitest';
import { limits, MAX_LOAD_MS } from '../support/program.ts';
import { readDocument, rowsBelow } from './documents.ts';

const PAGE = readDocument('docs/limits-and-errors.md');

const number = (count: number) => count.toLocaleString('en');
const size = (bytes: number) =>
  bytes < 1_048_576 ? `${bytes / 1024} KiB` : `${bytes / 1_048_576} MiB`;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Limits that are on the pages of what they limit, and those that nobody meets. */
const ELSEWHERE = [
  // docs/real-service.md
  'MAX_MEMBERS',
  'MAX_PLACES',
  'MAX_COMPARED',
  'MAX_FINDINGS',
  'ENVELOPE_LEVELS',
];

/** The rows of each table, by the words that begin them, and what they say of which limits. */
const ROWS: [heading: string, what: string, texts: Partial<Record<keyof typeof limits, string>>][] =
  [
    [
      'Requests to the service',
      'a query, a form',
      { MAX_FIELDS: `${number(limits.MAX_FIELDS)} fields` },
    ],
    ['Requests to the service', 'JSON for', { MAX_LEVELS: `${limits.MAX_LEVELS} levels` }],
    [
      'Requests to the service',
      'a body for a handler',
      { MAX_GIVEN_BYTES: size(limits.MAX_GIVEN_BYTES) },
    ],
    [
      'Requests to the service',
      'a body for a request schema',
      { MAX_CHECKED_BYTES: size(limits.MAX_CHECKED_BYTES) },
    ],
    [
      'Requests to the service',
      'a compressed body',
      {
        MAX_ENCODINGS: `${limits.MAX_ENCODINGS} encodings`,
        MAX_GIVEN_BYTES: size(limits.MAX_GIVEN_BYTES),
      },
    ],
    [
      'Requests to the service',
      'reported problems',
      {
        MAX_PROBLEMS: `${limits.MAX_PROBLEMS};`,
        MAX_ALL_PROBLEMS_BYTES: size(limits.MAX_ALL_PROBLEMS_BYTES),
      },
    ],
    [
      'Requests to the service',
      'a list with',
      { MAX_UNIQUE_ITEMS: `${limits.MAX_UNIQUE_ITEMS} items` },
    ],
    [
      'Requests to the service',
      'a body in the journal',
      { MAX_BODY_BYTES: size(limits.MAX_BODY_BYTES) },
    ],
    [
      'Requests to the service',
      'secrets',
      {
        MAX_SECRETS: `${limits.MAX_SECRETS},`,
        MAX_SEARCHED_SECRETS: number(limits.MAX_SEARCHED_SECRETS),
      },
    ],
    [
      'Files',
      'a fixture file',
      {
        MAX_FIXTURE_BYTES: size(limits.MAX_FIXTURE_BYTES),
        MAX_LEVELS: `${limits.MAX_LEVELS} levels`,
      },
    ],
    [
      'Control API and library',
      'a body',
      {
        MAX_GIVEN_BYTES: size(limits.MAX_GIVEN_BYTES),
        MAX_STATE_CHANGE_BYTES: size(limits.MAX_STATE_CHANGE_BYTES),
        MAX_SNAPSHOT_BYTES: size(limits.MAX_SNAPSHOT_BYTES),
      },
    ],
    ['Control API and library', 'JSON', { MAX_LEVELS: `${limits.MAX_LEVELS} levels` }],
    [
      'Control API and library',
      'scripted responses',
      { MAX_RESPONSES: number(limits.MAX_RESPONSES) },
    ],
    [
      'Control API and library',
      'delay',
      { MAX_DELAY_MS: limits.MAX_DELAY_MS === HOUR ? 'an hour' : '?' },
    ],
    [
      'Control API and library',
      'rate limit',
      {
        MAX_RATE: number(limits.MAX_RATE),
        MAX_RATE_WINDOW_MS: limits.MAX_RATE_WINDOW_MS === DAY ? 'a day' : '?',
      },
    ],
    [
      'Control API and library',
      '`timeout`',
      { MAX_WAIT_MS: `${limits.MAX_WAIT_MS / 60_000} minutes` },
    ],
    [
      'Control API and library',
      'requests that wait',
      { MAX_PENDING_EVENTS: number(limits.MAX_PENDING_EVENTS) },
    ],
    [
      'Control API and library',
      'what one call verifies',
      {
        MAX_EXPECTATION_BYTES: size(limits.MAX_EXPECTATION_BYTES),
        MAX_EXPECTATIONS: `${limits.MAX_EXPECTATIONS} expectations`,
        MAX_TIMES: `up to ${number(limits.MAX_TIMES)}`,
      },
    ],
    ['Control API and library', 'message', { MAX_MESSAGE_BYTES: size(limits.MAX_MESSAGE_BYTES) }],
    [
      'Control API and library',
      'state of',
      {
        MAX_STATE_BYTES: size(limits.MAX_STATE_BYTES),
        MAX_STATE_NAMES: `${number(limits.MAX_STATE_NAMES)} names`,
      },
    ],
    [
      'Control API and library',
      'a name',
      { MAX_STATE_NAME_LENGTH: `${limits.MAX_STATE_NAME_LENGTH} characters` },
    ],
    [
      'Control API and library',
      'a value',
      { MAX_STATE_VALUE_BYTES: size(limits.MAX_STATE_VALUE_BYTES) },
    ],
    [
      'Control API and library',
      'attempts of `state',
      { MAX_STATE_ATTEMPTS: number(limits.MAX_STATE_ATTEMPTS) },
    ],
    [
      'Control API and library',
      'the clock',
      { MAX_TIME: `the year ${new Date(limits.MAX_TIME).getUTCFullYear()}` },
    ],
    ['Control API and library', 'one step', { MAX_STEP_MS: `${limits.MAX_STEP_MS / YEAR} years` }],
    ['Control API and library', 'timers', { MAX_TIMERS: number(limits.MAX_TIMERS) }],
    [
      'Control API and library',
      'pending timers',
      { MAX_PENDING_TIMERS: number(limits.MAX_PENDING_TIMERS) },
    ],
    ['Webhooks', 'webhooks of one', { MAX_WEBHOOKS: `${limits.MAX_WEBHOOKS}` }],
    [
      'Webhooks',
      'URL',
      {
        MAX_URL_BYTES: size(limits.MAX_URL_BYTES),
        MAX_FIELDS: `${number(limits.MAX_FIELDS)} fields`,
      },
    ],
    ['Webhooks', 'body', { MAX_GIVEN_BYTES: size(limits.MAX_GIVEN_BYTES) }],
    ['Webhooks', 'an attempt', { MAX_ATTEMPT_MS: `${limits.MAX_ATTEMPT_MS / 1000} s` }],
    ['Webhooks', 'further', { MAX_RETRIES: `${limits.MAX_RETRIES}` }],
    [
      'Webhooks',
      'a delay',
      { MAX_WEBHOOK_DELAY_MS: limits.MAX_WEBHOOK_DELAY_MS === DAY ? 'a day' : '?' },
    ],
    ['Webhooks', 'scripted', { MAX_SCRIPTED_WEBHOOKS: number(limits.MAX_SCRIPTED_WEBHOOKS) }],
    ['Webhooks', 'attempts in flight', { MAX_IN_FLIGHT: `${limits.MAX_IN_FLIGHT};` }],
    [
      'Webhooks',
      'queued',
      { MAX_QUEUED: number(limits.MAX_QUEUED), MAX_QUEUED_BYTES: size(limits.MAX_QUEUED_BYTES) },
    ],
    [
      'Webhooks',
      'all headers',
      { MAX_WEBHOOK_HEADER_BYTES: size(limits.MAX_WEBHOOK_HEADER_BYTES) },
    ],
    ['Webhooks', 'secret', { MAX_SECRET_LENGTH: number(limits.MAX_SECRET_LENGTH) }],
    ['Webhooks', 'payload', { MAX_PAYLOAD_BYTES: size(limits.MAX_PAYLOAD_BYTES) }],
    ['Webhooks', 'the response', { MAX_RESPONSE_BYTES: size(limits.MAX_RESPONSE_BYTES) }],
  ];

it.each(ROWS.map(([heading, what, texts]) => ({ heading, what, texts })))(
  'the row $what below $heading has the limits of the code',
  ({ heading, what, texts }) => {
    const found = tableBelow(heading).filter(([first = '']) => first.startsWith(what));
    const shown = found.map((cells) => cells.join(' | ')).join('\n');
    expect(found).not.toEqual([]);
    for (const text of Object.values(texts)) expect(shown).toContain(text);
  },
);

it('docs/limits-and-errors.md has a row for each limit', () => {
  const named = new Set(ROWS.flatMap(([, , texts]) => Object.keys(texts)));
  const all = Object.keys(limits).filter((name) => !ELSEWHERE.includes(name));
  expect(all.filter((name) => !named.has(name))).toEqual([]);
  expect(PAGE).toContain(`| ${MAX_LOAD_MS / 1000} s |`);
});

/** The rows of the first table below a heading of the third level. */
function tableBelow(heading: string): string[][] {
  const [, section = ''] = PAGE.split(`\n### ${heading}\n`);
  const [own = ''] = section.split(/^##/m);
  return rowsBelow(`# ${heading}\n${own}`, heading);
}
