import { describe, expect, test } from 'vitest';
import type { Director } from '../../src/core/director.ts';
import { doubleOf, NUMBER_N } from './double-of.ts';
import { thrown } from './thrown.ts';

describe('a body against the schema of its operation', () => {
  const rejected = expect.objectContaining({
    code: 'MOMO_MOCK_BODY_REJECTED',
    message:
      'Failed to accept the body: body.n must be a number. Give one that satisfies n.schema.json.',
  });

  test('is refused as a balance, in a script and of an account, and nothing changes', () => {
    const { director, say, double } = doubleOf(NUMBER_N);
    director.setBalance('a', Buffer.from('{"n":1}'));
    expect(thrown(() => director.setBalance('a', Buffer.from('{"n":"1"}')))).toEqual(rejected);
    expect(thrown(() => director.script('a', { body: {} }, 'append'))).toEqual(rejected);
    expect(thrown(() => director.script('a', { body: 'text' }, 'append'))).toEqual(rejected);
    expect(thrown(() => director.createAccount({ apikey: 'c', balance: {} }))).toEqual(rejected);
    expect(say('a')).toBe('200 {"n":1}');
    expect(double.accounts.get('c')).toBeUndefined();
  });

  test('is told with all that is wrong, as JSON or as the text that it is', () => {
    const { director } = doubleOf({ file: 'f', validate: (body) => [`${typeof body}`, 'no'] });
    for (const [body, type] of [
      ['text', 'string'],
      ['7', 'number'],
      [{}, 'object'],
    ] as const) {
      const { message } = thrown(() => director.script('a', { body }, 'append'));
      expect(message).toBe(`Failed to accept the body: ${type}; no. Give one that satisfies f.`);
    }
  });

  test('is no matter where a response has none, or is none of 2xx', () => {
    const { director, say } = doubleOf(NUMBER_N);
    director.script('a', [{ status: 299 }, {}, { status: 300, body: {} }], 'append');
    expect([say('a'), say('a'), say('a')]).toEqual(['299 default', '200 default', '300 {}']);
    expect(thrown(() => director.script('a', { status: 299, body: {} }, 'append'))).toEqual(
      rejected,
    );
  });

  test('is no matter for an error, or for another operation', () => {
    const { director, say } = doubleOf(NUMBER_N);
    const operation = 'GET /momo/status/:reference';
    director.script(
      'a',
      [
        { status: 500, body: {} },
        { operation, body: {} },
      ],
      'append',
    );
    expect(say('a')).toBe('500 {}');
  });
});

describe('an account', () => {
  test('is made with a random key, a variant and a balance', () => {
    const { director, say } = doubleOf();
    const [one, two] = [director.createAccount({}), director.createAccount({ variant: 'empty' })];
    expect(one).toMatch(/^momo_test_[\w-]{24}$/);
    expect(one).not.toBe(two);
    expect([say(one), say(two)]).toEqual(['200 default', '200 empty']);
    const three = director.createAccount({ apikey: 'mine', balance: { n: 1 } });
    expect(three).toBe('mine');
    expect(say('mine')).toBe('200 {"n":1}');
    director.setBalance('mine', Buffer.from('2'));
    expect(say('mine')).toBe('200 2');
    director.reset('mine');
    expect(say('mine')).toBe('200 {"n":1}');
    director.removeAccount('mine');
    expect(say('mine')).toBe('401 e401');
  });

  test.each<[string, (director: Director) => void]>([
    ['removed', (director) => director.removeAccount('key-of-a-test')],
    ['gone with a reset', (director) => director.reset(undefined)],
  ])('keeps its key a secret when it is %s', (_, end) => {
    const { director, double } = doubleOf();
    director.createAccount({ apikey: 'key-of-a-test' });
    end(director);
    expect(double.secrets.redactor()('a key-of-a-test b')).toBe('a [redacted] b');
  });

  test.each<[unknown, string]>([
    [{ apikey: '' }, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ apikey: 'a b' }, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ apikey: 7 }, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ apikey: null }, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ apikey: 'x'.repeat(1025) }, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ apikey: 'c', balance: () => 1 }, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ key: 'x' }, 'MOMO_MOCK_REQUEST_INVALID'],
    [null, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ apikey: 'a' }, 'MOMO_MOCK_ACCOUNT_EXISTS'],
    [{ variant: 'huge' }, 'MOMO_MOCK_VARIANT_UNKNOWN'],
    [{ variant: 7 }, 'MOMO_MOCK_VARIANT_UNKNOWN'],
  ])('%j is refused', (options, code) => {
    const { director, double } = doubleOf();
    expect(thrown(() => director.createAccount(options)).code).toBe(code);
    expect([...double.accounts.keys]).toEqual(['a', 'b']);
  });

  test.each<[unknown, string]>([
    [null, 'Failed to read an account: it is not allowed. Give an object with some of apikey'],
    [{ apikey: '' }, 'Failed to read apikey: it is not allowed. Give 1 to 1024 visible ASCII'],
    [{ apikey: 'a' }, 'Failed to make an account: there is one with this key. Give another'],
    [{ balance: () => 1 }, 'Failed to read balance: it is not allowed. Give something that can'],
    [
      { variant: 'x' },
      'Failed to find the variant: no fixture file is of it. There are: empty, single.',
    ],
  ])('%j is told with what may be instead', (options, words) => {
    const { director } = doubleOf();
    expect(thrown(() => director.createAccount(options)).message).toContain(words);
  });

  test('may have a key of 1024 characters, and any variant that there is', () => {
    const { director, say } = doubleOf();
    const key = director.createAccount({ apikey: 'x'.repeat(1024), variant: 'single' });
    expect(say(key)).toBe('200 single');
  });

  test('tells the balance that was set, and nothing else', () => {
    const { director, ask } = doubleOf();
    expect(director.balance('a')).toBeUndefined();
    director.setBalance('a', Buffer.from('{"n":1}'));
    expect(String(director.balance('a'))).toBe('{"n":1}');
    expect(director.balance(undefined)).toBeUndefined();
    expect(ask('a').answer.headers).toEqual({ 'content-type': 'application/json; charset=utf-8' });
  });

  test('that nobody made cannot be told anything, and its key is not repeated', async () => {
    const { director } = doubleOf();
    const acts = [
      () => director.setBalance('no-such-key', Buffer.from('1')),
      () => director.script('no-such-key', {}, 'append'),
      () => director.responses('no-such-key'),
      () => director.removeAccount('no-such-key'),
      () => director.reset('no-such-key'),
    ];
    for (const act of acts) {
      const { code, message } = thrown(act);
      expect(code).toBe('MOMO_MOCK_ACCOUNT_UNKNOWN');
      expect(message).not.toContain('no-such-key');
    }
    await expect(director.requests('no-such-key', {})).rejects.toThrow(/no account has this key/);
  });
});
