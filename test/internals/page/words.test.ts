import { describe, expect, it } from 'vitest';
import { check } from '../../../src/mock/check.ts';
import { RESPONSE, type ScriptedResponse } from '../../../src/mock/scripted-response.ts';
import { type AnswerFields, PRESETS, responseOf } from '../../../src/page/answer.tsx';
import {
  attemptWords,
  dateTimeOf,
  decisionWords,
  durationText,
  hasAttemptEnded,
  requestWords,
  responseWords,
  shortFile,
  timeOfDay,
} from '../../../src/page/words.ts';
import { attemptOf, entryOf, IN_FLIGHT } from './page-entries.ts';

/** A connection that sent no request. */
const CONNECTION = { method: null, path: null, account: null, source: null, file: null } as const;
const HANDSHAKE = { ...CONNECTION, status: null, reason: 'tls-handshake' } as const;

describe('a row', () => {
  it.each([
    ['answered', {}, ['GET /momo/balance', '200', false]],
    ['refused', { status: 400 }, ['GET /momo/balance', '400', true]],
    ['redirected', { status: 399 }, ['GET /momo/balance', '399', false]],
    ['of CONNECT', { method: 'CONNECT', path: null }, ['CONNECT', '200', false]],
    ['in flight', IN_FLIGHT, ['GET /momo/balance', '…', false]],
    ['without a response', { status: null }, ['GET /momo/balance', '–', false]],
    ['with a fault', { fault: 'dribble' }, ['GET /momo/balance', '200', true]],
    ['aborted', { aborted: true }, ['GET /momo/balance', '200', true]],
    ['of a handshake', HANDSHAKE, ['TLS handshake', '–', true]],
    ['of plain HTTP', { ...CONNECTION, reason: 'plain-http' }, ['plain HTTP', '200', true]],
    ['of nonsense', { ...CONNECTION, reason: 'bad-request' }, ['not HTTP', '200', true]],
  ] as const)('says what was asked and got: %s', (_what, given, words) => {
    const { what, status, isProblem } = requestWords(entryOf(1, given));
    expect([what, status, isProblem]).toEqual(words);
  });

  it.each([
    [{}, 'fixture momo/balance.get.json'],
    [{ variant: 'empty' }, 'fixture momo/balance.get.json (variant empty)'],
    [{ source: 'handler', file: null }, 'handler'],
    [{ source: 'script', file: null }, 'scripted response'],
    [{ source: 'override', file: null }, 'balance that was set'],
    [{ source: 'error', file: '/f/errors/404.json' }, 'error errors/404.json'],
    [{ source: 'error', reason: 'key-empty' }, 'key-empty'],
    [
      { source: 'script', fault: 'hang', aborted: true },
      'scripted response, fault: no answer, the client left before the end',
    ],
    [IN_FLIGHT, 'in flight'],
  ] as const)('says why: %j', (given, why) => {
    expect(requestWords(entryOf(1, given)).why).toBe(why);
  });

  it.each([
    ['C:\\momo\\fixtures\\errors\\401.json', 'errors/401.json'],
    ['/srv/tree/pay/x.post.js', 'pay/x.post.js'],
    ['x.get.json', 'x.get.json'],
  ])('shortens %s', (file, short) => {
    expect(shortFile(file)).toBe(short);
  });
});

it.each([
  [
    {},
    /^No scripted response was left for account-1, .+ so the default file answered: \S+\.json\.$/,
  ],
  [{ variant: 'empty' }, /The variant empty applied, so its file answered: \S+\.json\.$/],
  [{ source: 'script' }, /^A scripted response was next, for account-1 or for all accounts\./],
  [{ source: 'override', account: null }, /^A balance was set for no account or for all accounts/],
  [{ source: 'handler', file: null }, /so the handler answered\.$/],
  [
    { source: 'error', file: null, reason: 'key-empty' },
    /^The request was refused \(key-empty\)\.$/,
  ],
  [{ source: 'preflight' }, /^A browser asks/],
  [IN_FLIGHT, /^The response is not decided yet\.$/],
  [{ source: null }, /^No response was decided\.$/],
  [HANDSHAKE, /^The connection sent no request: TLS handshake\.$/],
] as const)('the details say which rule decided: %j', (given, sentence) => {
  const broken = { fault: 'reset', aborted: true, hint: 'Set it.' } as const;
  expect(decisionWords(entryOf(1, given))).toEqual([expect.stringMatching(sentence)]);
  expect(decisionWords(entryOf(1, { ...given, ...broken })).slice(1)).toEqual([
    'Set it.',
    'The response was broken on purpose: connection reset (reset).',
    'The client left before it had the whole response.',
  ]);
});

const OPEN = { status: null, duration: null } as const;

it.each([
  ['accepted', {}, ['200', '', false, true]],
  ['redirected', { status: 302 }, ['302', '', true, true]],
  ['in flight', OPEN, ['…', 'in flight', false, false]],
  ['without a response', { ...OPEN, duration: 3 }, ['–', '', false, true]],
  ['timed out', { ...OPEN, reason: 'timeout' as const }, ['–', 'timeout', true, true]],
])('the row of a callback says that it is %s', (_what, given, words) => {
  const attempt = attemptOf(1, given);
  const { status, why, isProblem } = attemptWords(attempt);
  expect([status, why, isProblem, hasAttemptEnded(attempt)]).toEqual(words);
});

it.each<[AnswerFields, Partial<ScriptedResponse>]>([
  [{ status: '', delay: '', fault: '', body: '', times: '' }, {}],
  [
    { status: '503', delay: '0' },
    { status: 503, delay: 0 },
  ],
  [
    { fault: 'hang', times: '2' },
    { fault: 'hang', times: 2 },
  ],
  [{ body: '{"a":1}' }, { body: { a: 1 } }],
  [
    { body: '{"a":', times: '2', always: 'on' },
    { body: '{"a":', times: 'always' },
  ],
])('the form for an answer leaves out what is empty: %j', (fields, response) => {
  const made = responseOf(fields);
  expect(made).toEqual({ operation: 'GET /momo/balance', ...response });
  expect(check(RESPONSE, made)).toEqual(made);
});

it.each<[ScriptedResponse, string]>([
  [{}, 'the normal answer'],
  [{ status: 503, body: '' }, '503, own body'],
  [{ headers: { 'x-a': '1', 'x-b': '2' } }, 'headers x-a, x-b'],
  [{ delay: { min: 1, max: 2 } }, 'after 1 to 2 ms'],
  [{ delay: { median: 5, sigma: 0.5 } }, 'after about 5 ms'],
  [{ fault: { type: 'dribble', duration: 20 }, delay: 3 }, 'after 3 ms, the body in pieces'],
  [{ status: 401, beforeKeyCheck: true }, '401, before the key check'],
  [{ beforeKeyCheck: false }, 'the normal answer'],
])('a scripted response is told in words: %j', (response, words) => {
  expect(responseWords(response)).toBe(words);
});

it('the buttons are for scripted responses', () => {
  for (const { response } of PRESETS) expect(check(RESPONSE, response)).toEqual(response);
});

it('dates and times are local, with two digits', () => {
  const date = new Date(2027, 0, 2, 3, 4, 5, 6);
  expect(timeOfDay(date.toISOString())).toBe('03:04:05.006');
  expect(dateTimeOf(date.getTime())).toBe('2027-01-02 03:04:05');
});

it.each([
  [null, ''],
  [0, '0.0 ms'],
  [99.95, '100 ms'],
  [999.5, '1.00 s'],
  [9_999.5, '10.0 s'],
])('%j ms are shown as %j', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
