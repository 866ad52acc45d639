import type { limits as all } from '../support/program.ts';

export type Limits = typeof all;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const many = (count: number) => count.toLocaleString('en');
const size = (bytes: number) =>
  bytes < 1_048_576 ? `${bytes / 1024} KiB` : `${bytes / 1_048_576} MiB`;
const time = (ms: number) =>
  ms >= DAY ? `${ms / DAY} day` : ms >= HOUR ? `${ms / HOUR} hour` : `${ms / 60_000} minutes`;
const PER_ACCOUNT = 'for all accounts, and for each account';

type Rows = readonly (readonly [what: string, most: string])[];

/** The rows of the tables of limits, by what is limited, with the limits as they are. */
export const LIMIT_TABLES: Readonly<Record<string, (limits: Limits) => Rows>> = {
  requests: (limits) => [
    ['a query or a form', `${many(limits.MAX_FIELDS)} fields`],
    ['JSON for a handler or a request schema', `${limits.MAX_LEVELS} levels`],
    ['a body for a handler', size(limits.MAX_GIVEN_BYTES)],
    ['a body for a request schema', size(limits.MAX_CHECKED_BYTES)],
    [
      'a compressed body',
      `${limits.MAX_ENCODINGS} encodings, and ${size(limits.MAX_GIVEN_BYTES)} decompressed`,
    ],
    ['a body in the journal', `the first ${size(limits.MAX_BODY_BYTES)}`],
  ],
  files: (limits) => [
    ['a fixture file', size(limits.MAX_FIXTURE_BYTES)],
    ['JSON in a `.json` file', `${limits.MAX_LEVELS} levels`],
    ['a snapshot file', size(limits.MAX_SNAPSHOT_BYTES)],
  ],
  control: (limits) => [
    ['a body', size(limits.MAX_GIVEN_BYTES)],
    ['a body with JSON', `${many(limits.MAX_GIVEN_VALUES)} values`],
    ['a body of `PATCH /state`', size(limits.MAX_STATE_CHANGE_BYTES)],
    ['a body of `PUT /snapshot`', size(limits.MAX_SNAPSHOT_BYTES)],
    ['accounts in a snapshot for `PUT /snapshot`', many(limits.MAX_RESTORED_ACCOUNTS)],
    ['a body of `POST /verify`', size(limits.MAX_EXPECTATION_BYTES)],
    ['JSON', `${limits.MAX_LEVELS} levels of arrays and objects`],
    ['scripted responses', `${many(limits.MAX_SCRIPTED_RESPONSES)} ${PER_ACCOUNT}`],
    ['keys of accounts and secrets of webhooks', `${many(limits.MAX_KEY_CHARACTERS)} characters`],
    ['delay of a response', `${time(limits.MAX_DELAY_MS)}; longer random delays are capped`],
    ['rate limit', `${many(limits.MAX_RATE)} requests in ${time(limits.MAX_RATE_WINDOW_MS)}`],
    ['`timeout` of a call', time(limits.MAX_WAIT_MS)],
    ['expectations in a list', many(limits.MAX_EXPECTATIONS)],
    ['`times` of an expectation', many(limits.MAX_TIMES)],
    [
      'state',
      `${size(limits.MAX_STATE_BYTES)} and ${many(limits.MAX_STATE_NAMES)} names ${PER_ACCOUNT}`,
    ],
    ['a name of the state', `${limits.MAX_STATE_NAME_LENGTH} characters`],
    ['a value of the state', size(limits.MAX_STATE_VALUE_BYTES)],
    ['timers that one `advance` runs', many(limits.MAX_TIMERS)],
    ['remembered tokens', `the newest ${many(limits.MAX_TOKENS)} of each account`],
    ['claims of a token', size(limits.MAX_CLAIMS_BYTES)],
    ['pending timers of handlers', `${many(limits.MAX_PENDING_TIMERS)} ${PER_ACCOUNT}`],
    ['entries of the ledger', `${many(limits.MAX_LEDGER_ENTRIES)} of each account`],
    ['open prompts', `${many(limits.MAX_PROMPTS)} ${PER_ACCOUNT}`],
    ['title and text of a prompt', `${limits.MAX_PROMPT_LENGTH} characters each`],
    [
      'choices of a prompt',
      `${limits.MAX_CHOICES}, each at most ${limits.MAX_CHOICE_LENGTH} characters`,
    ],
  ],
  webhooks: (limits) => [
    ['webhooks of one response', `${limits.MAX_WEBHOOKS_OF_RESPONSE}`],
    ['URL', `${size(limits.MAX_URL_BYTES)} and ${many(limits.MAX_FIELDS)} fields`],
    ['body', size(limits.MAX_GIVEN_BYTES)],
    ['headers', size(limits.MAX_WEBHOOK_HEADER_BYTES)],
    ['`timeout`', `${limits.MAX_ATTEMPT_MS / 1000} s`],
    ['`before` as a number', `${limits.MAX_BEFORE_MS / 1000} s`],
    ['`delay`, and each wait in `retry`', time(limits.MAX_WEBHOOK_DELAY_MS)],
    ['retries', `${limits.MAX_RETRIES}`],
    ['`repeat` in a script', `${limits.MAX_REPEATS}`],
    ['scripted webhooks', `${many(limits.MAX_SCRIPTED_WEBHOOKS)} ${PER_ACCOUNT}`],
    [
      'scripted webhooks with a text as `match.body`',
      `${limits.MAX_SCRIPTED_TEXTS} ${PER_ACCOUNT}`,
    ],
    ['attempts in flight', `${limits.MAX_IN_FLIGHT}; the others wait`],
    [
      'queued webhooks',
      `${many(limits.MAX_QUEUED)}, and ${size(limits.MAX_QUEUED_BYTES)} of bodies`,
    ],
    ['the response of your application', size(limits.MAX_RESPONSE_BYTES)],
  ],
};
