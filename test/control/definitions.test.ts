import { describe, expect, it } from 'vitest';
import { ACCOUNT } from '../../src/mock/account-options.ts';
import { check } from '../../src/mock/check.ts';
import { CLOCK_CHANGE } from '../../src/mock/clock/clock-change.ts';
import type { Definition } from '../../src/mock/definition.ts';
import { REQUESTS_OPTIONS } from '../../src/mock/journal/request-fields.ts';
import { RESPONSES } from '../../src/mock/scripted-response.ts';
import { thrown } from '../mock/thrown.ts';
import { controlApp, refused } from './control-app.ts';

/** A value, and what is wrong with it; nothing where it is good. */
type Case = readonly [value: unknown, problem?: string];

const FIELDS = 'operation, status, headers, body, delay, fault, times, beforeKeyCheck';
const DELAY =
  'delay: must be a number from 0 to 3600000 or an object with min, max and optionally seed or an object with median, sigma and optionally seed';
const SEED = 'a whole number from 0 to 4294967295';
const HEADERS =
  'headers: must be an object of header names and values, each one line of text or a list of such lines, without content-length, transfer-encoding, connection, date, trailer';
const FAULTS = 'one of reset, close, truncate, malformed, dribble, hang';
const FAULT = `fault: must be ${FAULTS} or an object with type and optionally duration`;
const STATUS = 'status: must be a whole number from 200 to 599';
const TIMES = 'times: must be a whole number from 1 to 1000000000 or "always"';
const MS = 'a number from 0 to 3600000';

const RESPONSE_CASES: readonly Case[] = [
  [{}],
  [{ operation: 'GET /momo/status/:reference', body: {} }],
  [{ operation: 7 }, 'operation: must be text'],
  [{ operation: null }, 'operation: must be text'],
  [{ status: 200 }],
  [{ status: 599, body: 'text' }],
  [{ status: 199 }, STATUS],
  [{ status: 600 }, STATUS],
  [{ status: 200.5 }, STATUS],
  [{ status: '200' }, STATUS],
  [{ status: null }, STATUS],
  [{ headers: {} }],
  [{ headers: { 'X-One': 'a', 'set-cookie': ['a=1', 'b=2'], 'x-tab': 'a\tb' } }],
  [{ headers: { 'x-empty': '', 'x-none': [], 'x-latin': 'é' } }],
  [{ headers: { 'x-date': 'now', 'content-length-x': '7' } }],
  [{ headers: { 'x-é': 'a' } }, HEADERS],
  [{ headers: { 'x-cyrillic': 'ж' } }, HEADERS],
  [{ headers: { 'x-line': 'a\r\nb: c' } }, HEADERS],
  [{ headers: { 'x-list': ['a', 7] } }, HEADERS],
  [{ headers: { 'x-number': 7 } }, HEADERS],
  [{ headers: { 'x space': 'a' } }, HEADERS],
  [{ headers: { '': 'a' } }, HEADERS],
  [{ headers: { 'Content-Length': '7' } }, HEADERS],
  [{ headers: { 'transfer-encoding': 'chunked' } }, HEADERS],
  [{ headers: { CONNECTION: 'close' } }, HEADERS],
  [{ headers: { date: 'now' } }, HEADERS],
  [{ headers: { trailer: 'x' } }, HEADERS],
  [{ headers: [] }, HEADERS],
  [{ headers: null }, HEADERS],
  [{ headers: 'a: b' }, HEADERS],
  [{ status: 500, body: null }],
  [{ status: 500, body: [1, { a: 1 }] }],
  [{ delay: 0 }],
  [{ delay: 0.5 }],
  [{ delay: 3_600_000 }],
  [{ delay: 3_600_001 }, DELAY],
  [{ delay: -1 }, DELAY],
  [{ delay: '7' }, DELAY],
  [{ delay: null }, DELAY],
  [{ delay: [1] }, DELAY],
  [{ delay: {} }, DELAY],
  [{ delay: { seed: 1 } }, DELAY],
  [{ delay: { min: 1, max: 2 } }],
  [{ delay: { min: 1, max: 1, seed: 4_294_967_295 } }],
  [{ delay: { min: 2, max: 1 } }, 'delay.min: must be at most max'],
  [{ delay: { min: 1 } }, `delay.max: must be ${MS}`],
  [{ delay: { max: 1 } }, `delay.min: must be ${MS}`],
  [{ delay: { min: -1, max: 1 } }, `delay.min: must be ${MS}`],
  [{ delay: { min: 1, max: 3_600_001 } }, `delay.max: must be ${MS}`],
  [{ delay: { min: 1, max: 2, seed: 1.5 } }, `delay.seed: must be ${SEED}`],
  [{ delay: { min: 1, max: 2, seed: -1 } }, `delay.seed: must be ${SEED}`],
  [{ delay: { min: 1, max: 2, seed: 4_294_967_296 } }, `delay.seed: must be ${SEED}`],
  [{ delay: { min: 1, max: 2, mean: 1 } }, 'delay.mean: unknown field. Use only min, max, seed'],
  [{ delay: { min: 1, max: 2, sed: 1 } }, 'delay.sed: unknown field. Did you mean "seed"?'],
  [{ delay: { median: 100, sigma: 0.5, seed: 7 } }],
  [{ delay: { median: 100 } }, 'delay.sigma: must be a number from 0 to 10'],
  [{ delay: { median: 100, sigma: 11 } }, 'delay.sigma: must be a number from 0 to 10'],
  [{ delay: { median: -1, sigma: 1 } }, `delay.median: must be ${MS}`],
  [{ delay: { median: 1, sigma: 1, seed: null } }, `delay.seed: must be ${SEED}`],
  [
    { delay: { median: 1, sigma: 1, max: 1 } },
    'delay.max: unknown field. Use only median, sigma, seed',
  ],
  [{ fault: 'reset' }],
  [{ fault: { type: 'hang' } }],
  [{ fault: { type: 'dribble' } }],
  [{ fault: { type: 'dribble', duration: 0 } }],
  [
    { fault: { type: 'reset', duration: 0 } },
    'fault.duration: must be left out, except for dribble',
  ],
  [{ fault: { type: 'dribble', duration: -1 } }, `fault.duration: must be ${MS}`],
  [{ fault: { type: 'reset', x: 1 } }, 'fault.x: unknown field. Use only type, duration'],
  [{ fault: { type: 'explode' } }, `fault.type: must be ${FAULTS}`],
  [{ fault: { duration: 7 } }, `fault.type: must be ${FAULTS}`],
  [{ fault: {} }, `fault.type: must be ${FAULTS}`],
  [{ fault: 'explode' }, FAULT],
  [{ fault: 7 }, FAULT],
  [{ fault: null }, FAULT],
  [{ times: 1 }],
  [{ times: 1e9 }],
  [{ times: 'always' }],
  [{ times: 0 }, TIMES],
  [{ times: 1.5 }, TIMES],
  [{ times: 1e9 + 1 }, TIMES],
  [{ times: 'forever' }, TIMES],
  [{ times: null }, TIMES],
  [{ beforeKeyCheck: true }],
  [{ beforeKeyCheck: 'true' }, 'beforeKeyCheck: must be true or false'],
  [{ beforeKeyCheck: null }, 'beforeKeyCheck: must be true or false'],
  [{ staus: 200 }, 'staus: unknown field. Did you mean "status"?'],
  [{ statusCode: 200 }, 'statusCode: unknown field. Did you mean "status"?'],
  [{ key: 1 }, `key: unknown field. Use only ${FIELDS}`],
  ['reset', 'responses: must be a response or a list of responses'],
  [null, 'responses: must be a response or a list of responses'],
  [[]],
  [[{ status: 500 }, {}]],
  [[{ status: 500 }, { staus: 1 }], 'responses[1].staus: unknown field. Did you mean "status"?'],
  [[{}, {}, { delay: { min: 2, max: 1 } }], 'responses[2].delay.min: must be at most max'],
  [[{}, 503], `responses[1]: must be an object with some of ${FIELDS}`],
  [[[{}]], `responses[0]: must be an object with some of ${FIELDS}`],
];

const APIKEY = 'apikey: must be 1 to 1024 visible ASCII characters';
const STATE = 'state: must be an object with names, and values that can be written as JSON';
const ACCOUNT_CASES: readonly Case[] = [
  [{}],
  [{ apikey: 'x'.repeat(1024) }],
  [{ apikey: '!~', variant: 'empty', balance: { balance: 1 } }],
  [{ apikey: '' }, APIKEY],
  [{ apikey: 'x'.repeat(1025) }, APIKEY],
  [{ apikey: 'a b' }, APIKEY],
  [{ apikey: 'é' }, APIKEY],
  [{ apikey: 7 }, APIKEY],
  [{ apikey: null }, APIKEY],
  [{ variant: 7 }, 'variant: must be text'],
  [{ state: { a: 1, 'b/c': { d: [null] } } }],
  [{ state: [] }, STATE],
  [{ state: null }, STATE],
  [{ key: 'x' }, 'key: unknown field. Use only apikey, variant, balance, state'],
  [{ Apikey: 'x' }, 'Apikey: unknown field. Did you mean "apikey"?'],
  [[], 'account: must be an object with some of apikey, variant, balance, state'],
  [null, 'account: must be an object with some of apikey, variant, balance, state'],
];

const COUNT = 'must be a whole number from 0 to 9007199254740991';
const FILTER_CASES: readonly Case[] = [
  [{ status: 100, reason: 'tls-handshake', path: '', since: 0, limit: 0 }],
  [{ waitFor: 0, timeout: 600_000 }],
  [{ status: 600 }, 'status: must be a whole number from 100 to 599, or null'],
  [{ status: '' }, 'status: must be a whole number from 100 to 599, or null'],
  [{ reason: 'none' }, expect.stringContaining('reason: must be one of key-missing, key-empty, ')],
  [{ since: -1 }, `since: ${COUNT}`],
  [{ limit: 1.5 }, `limit: ${COUNT}`],
  [{ limit: '0x10' }, `limit: ${COUNT}`],
  [{ limit: 2 ** 64 }, `limit: ${COUNT}`],
  [{ waitFor: 'x' }, `waitFor: ${COUNT}`],
  [{ timeout: 600_001 }, 'timeout: must be a whole number from 0 to 600000'],
  [{ stauts: 1 }, 'stauts: unknown field. Did you mean "status"?'],
  [
    { account: 'account-1' },
    'account: unknown field. Use only method, path, operation, status, reason, fault, aborted, ended, since, limit, waitFor, timeout',
  ],
];

/** The message for a problem: a sentence with an end. */
function sentence(problem: unknown): unknown {
  if (typeof problem !== 'string') return problem;
  return `Failed to read ${problem}${problem.endsWith('?') ? '' : '.'}`;
}

/** Holds a definition against its cases, whichever way a value comes. */
function hold<Value>(
  definition: Definition<Value>,
  requestOf: (value: unknown) => [request: string, body?: string],
  cases: readonly Case[],
): void {
  it.each(cases.map(([value, problem]) => [value, problem] as const))(
    '%j is the same over HTTP, in process and before it is sent: %s',
    async (value, problem) => {
      const { send, controller } = await controlApp();
      const [request, body] = requestOf(value);
      const reply = await send(request, body === undefined ? {} : { body });
      if (problem === undefined) {
        expect(reply.status).toBeLessThan(300);
        expect(controller.check(definition, value)).toEqual(value);
        expect(check(definition, value)).toEqual(value);
        return;
      }
      const message = sentence(problem);
      expect(reply).toMatchObject(refused(400, 'MOMO_MOCK_REQUEST_INVALID', message));
      expect(thrown(() => controller.check(definition, value))).toMatchObject({ message });
      // The mock that it is sent to knows whether the name may be repeated.
      if (`${problem}`.includes('unknown field')) expect(check(definition, value)).toEqual(value);
      else expect(thrown(() => check(definition, value))).toMatchObject({ message });
    },
  );
}

const ADVANCE = 'advance: must be a whole number from 0 to 3153600000000 or "idle"';

const CLOCK_CASES: readonly Case[] = [
  [{}],
  [{ advance: 0 }],
  [{ advance: 'idle' }],
  [{ freeze: true, advance: 3_153_600_000_000 }],
  [{ advance: -1 }, ADVANCE],
  [{ advance: 0.5 }, ADVANCE],
  [{ advance: 3_153_600_000_001 }, ADVANCE],
  [{ advance: '10' }, ADVANCE],
  [{ freeze: 1 }, 'freeze: must be true or false'],
  [{ advanced: 1 }, 'advanced: unknown field. Did you mean "advance"?'],
  [[], 'the body: must be an object with some of freeze, advance'],
];

describe('a definition', () => {
  const json = JSON.stringify;
  const query = (filter: unknown) =>
    new URLSearchParams(Object.entries(filter as object)).toString();
  hold(RESPONSES, (responses) => ['POST /responses', json(responses)], RESPONSE_CASES);
  hold(CLOCK_CHANGE, (change) => ['POST /clock', json(change)], CLOCK_CASES);
  hold(ACCOUNT, (account) => ['POST /accounts', json(account)], ACCOUNT_CASES);
  hold(REQUESTS_OPTIONS, (filter) => [`GET /requests?${query(filter)}`], FILTER_CASES);
});
