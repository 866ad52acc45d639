import { describe, expect, it } from 'vitest';
import { check } from '../../../src/mock/check.ts';
import { RESPONSE, type ScriptedResponse } from '../../../src/mock/scripted-response.ts';
import { type AnswerFields, PRESETS, responseOf } from '../../../src/page/answer.tsx';
import {
  attemptTime,
  attemptWords,
  clockWords,
  dateOf,
  dateTimeOf,
  decisionWords,
  durationText,
  requestWords,
  responseWords,
  sentWords,
  shortFile,
  timeOfDay,
  timesWords,
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
    ['with a reason', { reason: 'key-missing' }, ['GET /momo/balance', '200', true]],
    ['with a fault', { fault: 'dribble' }, ['GET /momo/balance', '200', true]],
    ['aborted', { aborted: true }, ['GET /momo/balance', '200', true]],
    ['of a handshake', HANDSHAKE, ['TLS handshake', '–', true]],
    ['of plain HTTP', { ...CONNECTION, reason: 'plain-http' }, ['plain HTTP', '200', true]],
    ['of nonsense', { ...CONNECTION, reason: 'bad-request' }, ['not HTTP', '200', true]],
    ['without anything', CONNECTION, ['not HTTP', '200', false]],
  ] as const)('says what was asked and got: %s', (_what, given, words) => {
    const { what, status, isProblem } = requestWords(entryOf(1, given));
    expect([what, status, isProblem]).toEqual(words);
  });

  it.each([
    ['/app/fixtures/momo/a/balance.get.json', 'momo/a/balance.get.json'],
    ['C:\\momo\\fixtures\\errors\\401.json', 'errors/401.json'],
    ['/srv/tree/pay/x.post.js', 'pay/x.post.js'],
    ['x.get.json', 'x.get.json'],
  ])('shortens %s', (file, short) => {
    expect(shortFile(file)).toBe(short);
  });

  it.each([
    [{}, 'fixture momo/balance.get.json'],
    [{ variant: 'empty' }, 'fixture momo/balance.get.json (variant empty)'],
    [{ source: 'handler', file: '/f/momo/pay.post.js' }, 'handler momo/pay.post.js'],
    [{ source: 'handler', file: null }, 'handler'],
    [{ source: 'script', file: null }, 'scripted response'],
    [{ source: 'override', file: null }, 'balance that was set'],
    [{ source: 'error', file: '/f/errors/404.json' }, 'error errors/404.json'],
    [{ source: 'preflight', file: null }, 'CORS preflight'],
    [
      { source: 'script', fault: 'hang', aborted: true },
      'scripted response, fault: no answer, the client left before the end',
    ],
    [IN_FLIGHT, 'in flight'],
  ] as const)('says why: %j', (given, why) => {
    expect(requestWords(entryOf(1, given))).toMatchObject({ why, hint: '' });
  });

  it('says the reason, and what to do about it', () => {
    const refused = { source: 'error', reason: 'key-empty', hint: 'Set it.' } as const;
    expect(requestWords(entryOf(1, refused))).toMatchObject({ why: 'key-empty', hint: 'Set it.' });
  });
});

describe('the details', () => {
  const file = '/app/fixtures/momo/balance.get.json';
  const broken = 'The response was broken on purpose: connection reset (reset).';
  const left = 'The client left before it had the whole response.';

  it.each([
    [
      {},
      [
        `No scripted response was left for account-1, and no balance was set. No variant with a file applied, so the default file answered: ${file}.`,
      ],
    ],
    [
      { variant: 'empty' },
      [
        `No scripted response was left for account-1, and no balance was set. The variant empty applied, so its file answered: ${file}.`,
      ],
    ],
    [
      { source: 'script' },
      [
        'A scripted response was next, for account-1 or for all accounts. It comes before a balance that was set and before the files.',
      ],
    ],
    [
      { source: 'override' },
      [
        'A balance was set for account-1 or for all accounts, and no scripted response was left. A balance that was set comes before the files.',
      ],
    ],
    [
      { source: 'handler' },
      [
        `No scripted response with a status or a body was left for account-1, so the handler answered: ${file}.`,
      ],
    ],
    [
      { source: 'handler', file: null },
      [
        'No scripted response with a status or a body was left for account-1, so the handler answered.',
      ],
    ],
    [
      { source: 'error', reason: 'key-empty', hint: 'Set it.' },
      [`The request was refused (key-empty), and the file ${file} answered.`, 'Set it.'],
    ],
    [{ source: 'error', file: null, account: null }, ['The request was refused.']],
    [
      { source: 'preflight' },
      ['A browser asks whether a page may send its request. The mock allows it.'],
    ],
    [
      { source: 'override', account: null, fault: 'reset', aborted: true },
      [expect.stringContaining('set for no account or'), broken, left],
    ],
    [IN_FLIGHT, ['The response is not decided yet.']],
    [{ source: null }, ['No response was decided.']],
    [HANDSHAKE, ['The connection sent no request: TLS handshake.']],
  ] as const)('say which rule decided: %j', (given, sentences) => {
    expect(decisionWords(entryOf(1, given))).toEqual(sentences);
  });
});

describe('an attempt of a callback', () => {
  const open = { status: null, duration: null } as const;
  const lost = { ...open, reason: 'lost', hint: 'It was not sent.', duration: 0 } as const;

  it.each([
    ['accepted', {}, ['200', '', '', false]],
    ['redirected', { status: 302 }, ['302', '', '', true]],
    ['refused', { status: 500 }, ['500', '', '', true]],
    ['in flight', open, ['…', 'in flight', '', false]],
    ['without a response', lost, ['–', 'lost', 'It was not sent.', true]],
  ])('says that it is %s', (_what, given, words) => {
    const { status, why, hint, isProblem } = attemptWords(attemptOf(1, given));
    expect([status, why, hint, isProblem]).toEqual(words);
  });

  it('says what came of sending it again, when it was made, and by which clock', () => {
    expect(sentWords(attemptOf(2, { attempt: 3 }))).toBe('Sent again. Attempt 3: status 200.');
    expect(sentWords(attemptOf(2, lost))).toBe('Sent again. Attempt 1: lost. It was not sent.');
    const time = dateTimeOf(Date.UTC(2026, 10, 22, 12));
    const words = attemptTime(attemptOf(1, { attempt: 2 }));
    expect(words).toBe(`Attempt 2, at ${time} by the clock of account-1.`);
    expect(attemptTime(attemptOf(1, { account: null }))).toMatch(/by the clock\.$/);
  });
});

it('a clock is told in words', () => {
  const running = { now: 0, loadedAt: 0, frozen: false, pending: 0, next: null };
  const [now, next] = [Date.UTC(2026, 10, 22), Date.UTC(2026, 10, 23)];
  expect(clockWords({ ...running, frozen: true }, now)).toBe(
    `${dateTimeOf(now)}, frozen. No timer pending.`,
  );
  expect(clockWords({ ...running, pending: 1 }, now)).toContain('running. 1 timer pending.');
  expect(clockWords({ ...running, pending: 2, next }, now)).toContain(
    `2 timers pending, the next one due at ${dateTimeOf(next)}.`,
  );
});

const EMPTY: AnswerFields = {
  ...{ operation: 'GET /momo/balance', status: '', delay: '', fault: '', body: '', times: '' },
  isAlways: false,
};

describe('the form for an answer', () => {
  it.each<[Partial<AnswerFields>, Partial<ScriptedResponse>]>([
    [{}, {}],
    [{ status: '503' }, { status: 503 }],
    [{ delay: '0' }, { delay: 0 }],
    [{ fault: 'hang' }, { fault: 'hang' }],
    [{ body: '{"a":1}' }, { body: { a: 1 } }],
    [{ body: '{"a":' }, { body: '{"a":' }],
    [{ times: '2' }, { times: 2 }],
    [{ times: '2', isAlways: true }, { times: 'always' }],
  ])('leaves out what is empty: %j', (fields, response) => {
    const made = responseOf({ ...EMPTY, ...fields });
    expect(made).toEqual({ operation: 'GET /momo/balance', ...response });
    expect(check(RESPONSE, made)).toEqual(made);
  });

  it('has presets that are scripted responses, in the words of the page', () => {
    for (const { response } of PRESETS) expect(check(RESPONSE, response)).toEqual(response);
    expect(PRESETS.map(({ name, words }) => `${name}: ${words}`)).toMatchInlineSnapshot(`
      [
        "503 twice: 503, twice",
        "429: 429",
        "Slow 2 s: the normal answer after 2 s",
        "No answer: no answer",
        "Connection reset: a connection reset",
        "Half a body: half a body",
      ]
    `);
  });
});

describe('a scripted response in words', () => {
  it.each<[ScriptedResponse, string]>([
    [{}, 'the normal answer'],
    [{ status: 503, body: '' }, '503, own body'],
    [{ headers: { 'x-a': '1', 'x-b': '2' } }, 'headers x-a, x-b'],
    [{ delay: 20 }, 'after 20 ms'],
    [{ delay: { min: 1, max: 2 } }, 'after 1 to 2 ms'],
    [{ delay: { median: 5, sigma: 0.5 } }, 'after about 5 ms'],
    [{ fault: 'reset' }, 'connection reset'],
    [{ fault: { type: 'dribble', duration: 20 } }, 'the body in pieces'],
    [{ status: 401, beforeKeyCheck: true }, '401, before the key check'],
    [{ beforeKeyCheck: false }, 'the normal answer'],
  ])('%j', (response, words) => {
    expect(responseWords(response)).toBe(words);
  });

  it('says how often it is still used', () => {
    const all = [{}, { times: 3 }, { times: 'always' }] as const;
    expect(all.map(timesWords)).toEqual(['1 left', '3 left', 'always']);
  });
});

it('shows local dates and times with two digits', () => {
  const date = new Date(2027, 0, 2, 3, 4, 5, 6);
  expect(timeOfDay(date.toISOString())).toBe('03:04:05.006');
  expect(dateOf(date.toISOString())).toBe('2027-01-02');
  expect(dateTimeOf(date.getTime())).toBe('2027-01-02 03:04:05');
});

it.each([
  [null, ''],
  [0, '0.0 ms'],
  [99.94, '99.9 ms'],
  [99.95, '100 ms'],
  [999.4, '999 ms'],
  [999.5, '1.00 s'],
  [9_999.4, '10.00 s'],
  [9_999.5, '10.0 s'],
])('shows %j ms as %j', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
