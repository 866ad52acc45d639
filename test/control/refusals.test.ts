import { describe, expect, it } from 'vitest';
import { AS_JSON, control } from '../support/client.ts';
import { sharedMock } from '../support/mock.ts';
import { FAULTS, type FaultDefinition } from '../support/program.ts';
import { refusal } from '../support/refusal.ts';

/** A value, and what is wrong with it; nothing where it is good. */
type Row = readonly [value: unknown, problem?: unknown];

const FIELDS =
  'operation, status, headers, body, delay, fault, afterHandler, webhook, $schema, times, beforeKeyCheck';
const DELAY =
  'delay: must be a number from 0 to 3600000 or an object with min, max and optionally seed or an object with median, sigma and optionally seed';
const SEED = 'a whole number from 0 to 4294967295';
const HEADERS =
  'headers: must be an object of header names and values, each one line of text or a list of such lines, without content-length, transfer-encoding, date, trailer; connection can only be close';
const TYPES = `one of ${Object.keys(FAULTS).join(', ')}`;
const FAULT_OPTIONS = Object.values<FaultDefinition>(FAULTS)
  .flatMap(({ options = {} }) => Object.keys(options))
  .join(', ');
const FAULT = `fault: must be ${TYPES} or an object with type and optionally ${FAULT_OPTIONS}`;
const STATUS = 'status: must be a whole number from 200 to 599';
const TIMES = 'times: must be a whole number from 1 to 1000000000 or "always"';
const MS = 'a number from 0 to 3600000';

const RESPONSES: readonly Row[] = [
  [{}],
  [{ operation: 'GET /momo/status/:reference', body: {} }],
  [{ operation: 7 }, 'operation: must be text'],
  [{ operation: null }, 'operation: must be text'],
  [{ status: 200 }],
  [{ status: 599, body: 'text' }],
  ...[199, 600, 200.5, '200', null].map((status): Row => [{ status }, STATUS]),
  [{ headers: {} }],
  [{ headers: { 'X-One': 'a', 'set-cookie': ['a=1', 'b=2'], 'x-tab': 'a\tb' } }],
  [{ headers: { 'x-empty': '', 'x-none': [], 'x-latin': 'é' } }],
  [{ headers: { 'x-date': 'now', 'content-length-x': '7' } }],
  [{ headers: { Connection: 'close' } }],
  ...['keep-alive', ['close']].map(
    (connection): Row => [{ headers: { connection } }, 'headers.connection: must be "close"'],
  ),
  ...[
    { 'x-é': 'a' },
    { 'x-cyrillic': 'ж' },
    { 'x-line': 'a\r\nb: c' },
    { 'x-list': ['a', 7] },
    { 'x-number': 7 },
    { 'x space': 'a' },
    { '': 'a' },
    { 'Content-Length': '7' },
    { 'transfer-encoding': 'chunked' },
    { CONNECTION: 'close' },
    { date: 'now' },
    { trailer: 'x' },
    [],
    null,
    'a: b',
  ].map((headers): Row => [{ headers }, HEADERS]),
  [{ status: 500, body: null }],
  [{ status: 500, body: [1, { a: 1 }] }],
  ...[0, 0.5, 3_600_000].map((delay): Row => [{ delay }]),
  ...[3_600_001, -1, '7', null, [1], {}, { seed: 1 }].map((delay): Row => [{ delay }, DELAY]),
  [{ delay: { min: 1, max: 2 } }],
  [{ delay: { min: 1, max: 1, seed: 4_294_967_295 } }],
  [{ delay: { min: 2, max: 1 } }, 'delay.min: must be at most max'],
  [{ delay: { min: 1 } }, `delay.max: must be ${MS}`],
  [{ delay: { max: 1 } }, `delay.min: must be ${MS}`],
  [{ delay: { min: -1, max: 1 } }, `delay.min: must be ${MS}`],
  [{ delay: { min: 1, max: 3_600_001 } }, `delay.max: must be ${MS}`],
  ...[1.5, -1, 4_294_967_296].map(
    (seed): Row => [{ delay: { min: 1, max: 2, seed } }, `delay.seed: must be ${SEED}`],
  ),
  [{ delay: { min: 1, max: 2, mean: 1 } }, 'Unknown field "delay.mean". Use only min, max, seed'],
  [{ delay: { min: 1, max: 2, sed: 1 } }, 'Unknown field "delay.sed". Did you mean "seed"?'],
  [{ delay: { median: 100, sigma: 0.5, seed: 7 } }],
  [{ delay: { median: 100 } }, 'delay.sigma: must be a number from 0 to 10'],
  [{ delay: { median: 100, sigma: 11 } }, 'delay.sigma: must be a number from 0 to 10'],
  [{ delay: { median: -1, sigma: 1 } }, `delay.median: must be ${MS}`],
  [{ delay: { median: 1, sigma: 1, seed: null } }, `delay.seed: must be ${SEED}`],
  [
    { delay: { median: 1, sigma: 1, max: 1 } },
    'Unknown field "delay.max". Use only median, sigma, seed',
  ],
  ...['reset', { type: 'hang' }, { type: 'dribble', duration: 0 }].map((fault): Row => [{ fault }]),
  [
    { fault: { type: 'reset', duration: 0 } },
    'fault.duration: must be left out, except for dribble',
  ],
  [{ fault: { type: 'dribble', duration: -1 } }, `fault.duration: must be ${MS}`],
  [{ fault: { type: 'reset', x: 1 } }, `Unknown field "fault.x". Use only type, ${FAULT_OPTIONS}`],
  ...[{ type: 'explode' }, { duration: 7 }, {}].map(
    (fault): Row => [{ fault }, `fault.type: must be ${TYPES}`],
  ),
  ...['explode', 7, null].map((fault): Row => [{ fault }, FAULT]),
  ...[1, 1e9, 'always'].map((times): Row => [{ times }]),
  ...[0, 1.5, 1e9 + 1, 'forever', null].map((times): Row => [{ times }, TIMES]),
  [{ beforeKeyCheck: true }],
  [{ beforeKeyCheck: 'true' }, 'beforeKeyCheck: must be true or false'],
  [{ beforeKeyCheck: null }, 'beforeKeyCheck: must be true or false'],
  [{ staus: 200 }, 'Unknown field "staus". Did you mean "status"?'],
  [{ statusCode: 200 }, 'Unknown field "statusCode". Did you mean "status"?'],
  [{ key: 1 }, `Unknown field "key". Use only ${FIELDS}`],
  ['reset', 'responses: must be a response or a list of responses'],
  [null, 'responses: must be a response or a list of responses'],
  [[]],
  [[{ status: 500 }, {}]],
  [[{ status: 500 }, { staus: 1 }], 'Unknown field "responses[1].staus". Did you mean "status"?'],
  [[{}, {}, { delay: { min: 2, max: 1 } }], 'responses[2].delay.min: must be at most max'],
  [[{}, 503], `responses[1]: must be an object with some of ${FIELDS}`],
  [[[{}]], `responses[0]: must be an object with some of ${FIELDS}`],
];

const APIKEY = 'apiKey: must be 1 to 1024 visible ASCII characters';
const STATE = 'state: must be an object with names, and values that can be written as JSON';
const ANY = 'account: must be an object with some of apiKey, variant, balance, state';
const UNKNOWN = 'Use only apiKey, variant, balance, state';
const KEY = 'sekret-of-a-test';

const ACCOUNTS: readonly Row[] = [
  [{}],
  [{ apiKey: 'x'.repeat(1024) }],
  [{ apiKey: '!~', variant: 'empty', balance: { balance: 1 } }],
  ...['', 'x'.repeat(1025), 'a b', 'é', 7, null].map((apiKey): Row => [{ apiKey: apiKey }, APIKEY]),
  [{ variant: 7 }, 'variant: must be text'],
  [{ state: { a: 1, 'b/c': { d: [null] } } }],
  [{ state: [] }, STATE],
  [{ state: null }, STATE],
  [{ key: 'x' }, `Unknown field "key". ${UNKNOWN}`],
  [{ Apikey: 'x' }, 'Unknown field "Apikey". Did you mean "apiKey"?'],
  [[], ANY],
  [null, ANY],
  // No error repeats a name that is or has a key, or that is no plain word.
  ...[KEY, `x-${KEY}`, 'a\nb', '', 'x'.repeat(41), '<script>'].map(
    (name): Row => [{ [name]: 1 }, `Unknown field in account. ${UNKNOWN}`],
  ),
  ...['__proto__', 'constructor', 'toString'].map(
    (name): Row => [JSON.parse(`{"${name}":{}}`), `Unknown field "${name}". ${UNKNOWN}`],
  ),
];

const COUNT = 'must be a whole number from 0 to 9007199254740991';
const FILTERS: readonly Row[] = [
  [{ status: 100, reason: 'tls-handshake', path: '/', since: 0, limit: 0 }],
  [{ waitFor: 0, timeout: 600_000 }],
  [{ status: 600 }, 'status: must be a whole number from 100 to 599, or null'],
  [{ status: '' }, 'status: must be a whole number from 100 to 599, or null'],
  [
    { reason: 'key-mising' },
    expect.stringContaining('reason: must be one of key-missing, key-empty, '),
  ],
  [{ since: -1 }, `since: ${COUNT}`],
  [{ limit: 1.5 }, `limit: ${COUNT}`],
  [{ limit: '0x10' }, `limit: ${COUNT}`],
  [{ limit: 2 ** 64 }, `limit: ${COUNT}`],
  [{ waitFor: 'x' }, `waitFor: ${COUNT}`],
  [{ timeout: 600_001 }, 'timeout: must be a whole number from 0 to 600000'],
  [{ stauts: 1 }, 'Unknown field "stauts". Did you mean "status"?'],
  [
    { account: 'account-1' },
    'Unknown field "account". Use only method, path, operation, status, reason, fault, aborted, ended, since, limit, waitFor, timeout',
  ],
];

const ADVANCE = 'advance: must be a whole number from 0 to 3153600000000 or "idle"';
const CLOCKS: readonly Row[] = [
  [{}],
  [{ freeze: true, advance: 0 }],
  [{ advance: 'idle' }],
  ...[-1, 0.5, 3_153_600_000_001, '10'].map((advance): Row => [{ advance }, ADVANCE]),
  [{ freeze: 1 }, 'freeze: must be true or false'],
  [{ advanced: 1 }, 'Unknown field "advanced". Did you mean "advance"?'],
  [[], 'the body: must be an object with some of freeze, advance'],
];

const MODE = 'mode: must be one of normal, expired, wrong-host, untrusted';
const TLS: readonly Row[] = [
  [{ mode: 'normal' }],
  [{ mode: 'sekret' }, MODE],
  [{}, MODE],
  [{ mode: 'expired', extra: 1 }, 'Unknown field "extra". Use only mode'],
  ['expired', 'the body: must be an object with mode'],
  [null, 'the body: must be an object with mode'],
];

const mock = sharedMock(
  { 'momo/status/[reference].get.json': '{}' },
  { control: true, apiKeys: ['good', KEY] },
);

/** The sentence for a problem. */
function sentence(problem: unknown): unknown {
  if (typeof problem !== 'string') return problem;
  return `${refusal(problem)}${problem.endsWith('?') ? '' : '.'}`;
}

const CODE = 'MOMO_MOCK_REQUEST_INVALID';
const query = (filter: unknown) => `${new URLSearchParams(Object.entries(filter as object))}`;
const put = (line: string) => (value: unknown) =>
  control(mock(), line, { headers: AS_JSON, body: JSON.stringify(value) });

describe.each<{
  name: string;
  rows: readonly Row[];
  send: (value: unknown) => ReturnType<typeof control>;
  call?: (value: never) => Promise<unknown>;
}>([
  {
    name: 'responses',
    rows: RESPONSES,
    send: put('POST /responses'),
    call: (value) => mock().respondWith(value),
  },
  {
    name: 'accounts',
    rows: ACCOUNTS,
    send: put('POST /accounts'),
    call: (value) => mock().createAccount(value),
  },
  {
    name: 'filters',
    rows: FILTERS,
    send: (value) => control(mock(), `GET /requests?${query(value)}`),
    call: (value) => mock().requests(value),
  },
  { name: 'the clock', rows: CLOCKS, send: put('POST /clock') },
  { name: 'TLS', rows: TLS, send: put('PUT /tls') },
])('an error about $name', ({ rows, send, call }) => {
  it.each(rows.map(([value, problem]) => [value, problem]))(
    'is the same over HTTP and in process for %j: %s',
    async (value, problem) => {
      const response = await send(value);
      if (problem === undefined) {
        expect(response.status).toBeLessThan(300);
        await mock().reset();
        await call?.(value as never);
        return;
      }
      const error = { code: CODE, message: sentence(problem) };
      expect(response).toMatchObject({ status: 400, json: { error } });
      if (call !== undefined) await expect(call(value as never)).rejects.toMatchObject(error);
      expect(response.text).not.toContain('sekret');
    },
  );
});
