import { describe, expect, it } from 'vitest';
import {
  decisionWords,
  isProblem,
  requestWords,
  shortFile,
  statusWords,
  whyWords,
} from '../../../src/control/page/entry-words.ts';
import { entryOf, IN_FLIGHT } from './entry-of.ts';

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
    const entry = entryOf(1, given);
    expect([requestWords(entry), statusWords(entry), isProblem(entry)]).toEqual(words);
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
    expect(whyWords(entryOf(1, given))).toEqual([why, '']);
  });

  it('says the reason, and what to do about it', () => {
    const refused = { source: 'error', reason: 'key-empty', hint: 'Set it.' } as const;
    expect(whyWords(entryOf(1, refused))).toEqual(['key-empty', 'Set it.']);
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
