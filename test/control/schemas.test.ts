import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { ACCOUNT_SCHEMA } from '../../src/control/accounts.ts';
import { FILTER_SCHEMA, REQUEST_SCHEMA } from '../../src/control/request-schema.ts';
import { RESPONSE_SCHEMA } from '../../src/control/response-schema.ts';
import { controlApp } from './control-app.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
formats.default(ajv);

/** A schema with a name can be compiled only once. */
function withoutId({ $id: _id, ...schema }: { $id: string }): object {
  return schema;
}

const RESPONSES: [verdict: boolean, response: unknown][] = [
  [true, {}],
  [true, { operation: 'GET /momo/status/:reference', body: {} }],
  [false, { operation: 7 }],
  [true, { status: 200 }],
  [true, { status: 599, body: 'text' }],
  [false, { status: 199 }],
  [false, { status: 600 }],
  [false, { status: 200.5 }],
  [false, { status: '200' }],
  [false, { status: null }],
  [true, { headers: {} }],
  [true, { headers: { 'X-One': 'a', 'set-cookie': ['a=1', 'b=2'], 'x-tab': 'a\tb' } }],
  [false, { headers: { 'x-é': 'a' } }],
  [true, { headers: { 'x-empty': '', 'x-none': [], 'x-latin': 'é' } }],
  [false, { headers: { 'x-cyrillic': 'ж' } }],
  [false, { headers: { 'x-line': 'a\r\nb: c' } }],
  [false, { headers: { 'x-list': ['a', 7] } }],
  [false, { headers: { 'x-number': 7 } }],
  [false, { headers: { 'x space': 'a' } }],
  [false, { headers: { '': 'a' } }],
  [false, { headers: { 'Content-Length': '7' } }],
  [false, { headers: { 'transfer-encoding': 'chunked' } }],
  [false, { headers: { CONNECTION: 'close' } }],
  [false, { headers: { date: 'now' } }],
  [true, { headers: { 'x-date': 'now', 'content-length-x': '7' } }],
  [false, { headers: [] }],
  [false, { headers: 'a: b' }],
  [true, { status: 500, body: null }],
  [true, { status: 500, body: [1, { a: 1 }] }],
  [true, { delay: 0 }],
  [true, { delay: 0.5 }],
  [true, { delay: 3_600_000 }],
  [false, { delay: 3_600_001 }],
  [false, { delay: -1 }],
  [false, { delay: '7' }],
  [false, { delay: null }],
  [false, { delay: {} }],
  [true, { delay: { min: 1, max: 2 } }],
  [true, { delay: { min: 1, max: 1, seed: 4_294_967_295 } }],
  [false, { delay: { min: 1 } }],
  [false, { delay: { min: 1, max: 2, seed: 1.5 } }],
  [false, { delay: { min: 1, max: 2, median: 3 } }],
  [true, { delay: { median: 100, sigma: 0.5, seed: 7 } }],
  [false, { delay: { median: 100 } }],
  [false, { delay: { median: 100, sigma: 11 } }],
  [true, { fault: 'reset' }],
  [true, { fault: { type: 'hang' } }],
  [true, { fault: { type: 'dribble' } }],
  [true, { fault: { type: 'dribble', duration: 0 } }],
  [false, { fault: { type: 'reset', duration: 0 } }],
  [false, { fault: { type: 'dribble', duration: -1 } }],
  [false, { fault: { type: 'explode' } }],
  [false, { fault: { duration: 7 } }],
  [false, { fault: 'explode' }],
  [false, { fault: null }],
  [true, { times: 1 }],
  [true, { times: 1e9 }],
  [true, { times: 'always' }],
  [false, { times: 0 }],
  [false, { times: 1.5 }],
  [false, { times: 1e9 + 1 }],
  [false, { times: 'forever' }],
  [false, { times: null }],
  [true, { beforeKeyCheck: true }],
  [false, { beforeKeyCheck: 'true' }],
  [false, { beforeKeyCheck: null }],
  [false, { statsu: 200 }],
  [false, []],
  [false, null],
  [false, 'reset'],
  [false, 503],
];
const ACCOUNTS: [verdict: boolean, options: unknown][] = [
  [true, {}],
  [true, { apikey: 'x'.repeat(1024) }],
  [true, { apikey: '!~', variant: 'empty', balance: { balance: 1 } }],
  [false, { apikey: '' }],
  [false, { apikey: 'x'.repeat(1025) }],
  [false, { apikey: 'a b' }],
  [false, { apikey: 'é' }],
  [false, { apikey: 7 }],
  [false, { variant: 7 }],
  [false, { key: 'x' }],
  [false, []],
  [false, null],
];

const FILTERS: [verdict: boolean, query: Record<string, unknown>][] = [
  [true, { status: 100, reason: 'tls-handshake', path: '', since: 0, limit: 0 }],
  [true, { waitFor: 0, timeout: 600_000 }],
  [false, { status: 600 }],
  [false, { reason: 'none' }],
  [false, { since: -1 }],
  [false, { limit: 1.5 }],
  [false, { timeout: 600_001 }],
  [false, { account: 'account-1' }],
];

describe('the schemas and what is done agree', () => {
  const valid = ajv.compile(RESPONSE_SCHEMA);

  it.each(RESPONSES)('%j: a response %j', async (verdict, response) => {
    const { send } = await controlApp();
    expect(valid(response)).toBe(verdict);
    const { status } = await send('POST /responses', { body: JSON.stringify(response) });
    // A list is more than one response, and no response is none of them.
    const isList = Array.isArray(response);
    expect(status).toBe(verdict || isList ? 200 : 400);
  });

  it.each(ACCOUNTS)('%j: an account %j', async (verdict, options) => {
    const { send } = await controlApp();
    expect(ajv.validate(withoutId(ACCOUNT_SCHEMA), options)).toBe(verdict);
    const { status } = await send('POST /accounts', { body: JSON.stringify(options) });
    expect(status === 201).toBe(verdict);
  });

  it.each(FILTERS)('%j: a filter %j', async (verdict, query) => {
    const { send } = await controlApp();
    expect(ajv.validate(FILTER_SCHEMA, query)).toBe(verdict);
    const { status } = await send(
      `GET /requests?${new URLSearchParams(Object.entries(query) as [string, string][])}`,
    );
    expect(status).toBe(verdict ? 200 : 400);
  });

  it('on what the journal shows', async () => {
    const { send, mock } = await controlApp();
    const entry = mock.journal.open('GET', { accept: ['a', 'b'], host: 'x' });
    mock.journal.open(null, {});
    mock.journal.note(entry, { reason: 'key-missing', target: '/?a=1', durationMs: 0.5 });
    const { json } = await send('GET /requests');
    const { requests } = json as { requests: object[] };
    const strict = { ...REQUEST_SCHEMA, additionalProperties: false };
    for (const request of requests) {
      expect(ajv.validate(withoutId(strict), request), ajv.errorsText()).toBe(true);
    }
    expect(requests).toHaveLength(2);
  });
});
