import { expect, it } from 'vitest';
import { limits } from '../support/program.ts';
import { readDocument } from './documents.ts';
import { LIMIT_TABLES, type Limits } from './limits.ts';
import { tablesIn } from './tables.ts';

/** Limits that docs/logs.md and docs/webhooks.md show. */
const ELSEWHERE = ['MAX_SECRETS', 'MAX_SEARCHED_SECRETS', 'DEFAULT_ATTEMPT_MS'];

/** Limits that hardly anybody meets. The error names them. */
const UNSHOWN = [
  'MAX_BODY_LEVELS',
  'MAX_PROBLEMS',
  'MAX_ALL_PROBLEMS_BYTES',
  'MAX_UNIQUE_ITEMS',
  'MAX_MESSAGE_BYTES',
  'MAX_STATE_ATTEMPTS',
  'MAX_STEP_MS',
  'MAX_TIME',
  'MAX_PAYLOAD_BYTES',
  'MAX_SECRET_LENGTH',
  'MAX_PENDING_EVENTS',
  // Those of check and record:
  'MAX_MEMBERS',
  'MAX_PLACES',
  'MAX_COMPARED',
  'MAX_FINDINGS',
];

it('docs/limits-and-errors.md has every table of limits', () => {
  const tables = tablesIn(readDocument('docs/limits-and-errors.md'));
  const shown = tables.filter(({ kind }) => kind === 'limits').map(({ of }) => of);
  expect(shown).toEqual(Object.keys(LIMIT_TABLES));
});

it('a table shows each limit, unless another page does or hardly anybody meets it', () => {
  const read = new Set<string>();
  const get = (_target: object, name: string) => {
    read.add(name);
    return limits[name as keyof typeof limits];
  };
  for (const rows of Object.values(LIMIT_TABLES)) rows(new Proxy<Limits>({ ...limits }, { get }));
  const named = [...read, ...ELSEWHERE, ...UNSHOWN];
  expect(named.toSorted()).toEqual(Object.keys(limits).toSorted());
});

it.each([
  ['MAX_SECRETS', `up to ${limits.MAX_SECRETS}`],
  ['MAX_SEARCHED_SECRETS', `more than ${limits.MAX_SEARCHED_SECRETS.toLocaleString('en')}`],
])('docs/logs.md says %s as it is', (_name, text) => {
  expect(readDocument('docs/logs.md')).toContain(`| ${text} |`);
});
