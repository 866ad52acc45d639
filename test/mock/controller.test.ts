import { describe, expect, test } from 'vitest';
import type { Controller } from '../../src/mock/controller.ts';
import { mockOf, NUMBER_N } from './mock-of.ts';
import { thrown } from './thrown.ts';

describe('a body against the schema of its operation', () => {
  const rejected = expect.objectContaining({
    code: 'MOMO_MOCK_BODY_REJECTED',
    message:
      'Failed to accept the body: body.n must be a number. Give one that satisfies n.schema.json.',
  });

  test('is refused as a balance, in a script and of an account, and nothing changes', () => {
    const { controller, say, mock } = mockOf(NUMBER_N);
    controller.setBalance('a', Buffer.from('{"n":1}'));
    expect(thrown(() => controller.setBalance('a', Buffer.from('{"n":"1"}')))).toEqual(rejected);
    expect(thrown(() => controller.script('a', { body: {} }, 'append'))).toEqual(rejected);
    expect(thrown(() => controller.script('a', { body: 'text' }, 'append'))).toEqual(rejected);
    expect(thrown(() => controller.createAccount({ apikey: 'c', balance: {} }))).toEqual(rejected);
    expect(say('a')).toBe('200 {"n":1}');
    expect(mock.accounts.get('c')).toBeUndefined();
  });

  test('is told with all that is wrong, as JSON or as the text that it is', () => {
    const { controller } = mockOf({
      file: 'f',
      schema: {},
      validate: (body) => [`${typeof body}`, 'no'],
    });
    for (const [body, type] of [
      ['text', 'string'],
      ['7', 'number'],
      [{}, 'object'],
    ] as const) {
      const { message } = thrown(() => controller.script('a', { body }, 'append'));
      expect(message).toBe(`Failed to accept the body: ${type}; no. Give one that satisfies f.`);
    }
  });

  test('is no matter where a response has none, or is none of 2xx', () => {
    const { controller, say } = mockOf(NUMBER_N);
    controller.script('a', [{ status: 299 }, {}, { status: 300, body: {} }], 'append');
    expect([say('a'), say('a'), say('a')]).toEqual(['299 default', '200 default', '300 {}']);
    expect(thrown(() => controller.script('a', { status: 299, body: {} }, 'append'))).toEqual(
      rejected,
    );
  });

  test('is no matter for an error, or for another operation', () => {
    const { controller, say } = mockOf(NUMBER_N);
    const operation = 'GET /momo/status/:reference';
    controller.script(
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
    const { controller, say } = mockOf();
    const [one, two] = [
      controller.createAccount({}),
      controller.createAccount({ variant: 'empty' }),
    ];
    expect(one).toMatch(/^momo_test_[\w-]{24}$/);
    expect(one).not.toBe(two);
    expect([say(one), say(two)]).toEqual(['200 default', '200 empty']);
    const three = controller.createAccount({ apikey: 'mine', balance: { n: 1 } });
    expect(three).toBe('mine');
    expect(say('mine')).toBe('200 {"n":1}');
    controller.setBalance('mine', Buffer.from('2'));
    expect(say('mine')).toBe('200 2');
    controller.reset('mine');
    expect(say('mine')).toBe('200 {"n":1}');
    controller.removeAccount('mine');
    expect(say('mine')).toBe('401 e401');
  });

  test.each<[string, (controller: Controller) => void]>([
    ['removed', (controller) => controller.removeAccount('key-of-a-test')],
    ['gone with a reset', (controller) => controller.reset(undefined)],
  ])('keeps its key a secret when it is %s', (_, end) => {
    const { controller, mock } = mockOf();
    controller.createAccount({ apikey: 'key-of-a-test' });
    end(controller);
    expect(mock.secrets.redactor()('a key-of-a-test b')).toBe('a [redacted] b');
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
    const { controller, mock } = mockOf();
    expect(thrown(() => controller.createAccount(options)).code).toBe(code);
    expect([...mock.accounts.keys]).toEqual(['a', 'b']);
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
    const { controller } = mockOf();
    expect(thrown(() => controller.createAccount(options)).message).toContain(words);
  });

  test('may have a key of 1024 characters, and any variant that there is', () => {
    const { controller, say } = mockOf();
    const key = controller.createAccount({ apikey: 'x'.repeat(1024), variant: 'single' });
    expect(say(key)).toBe('200 single');
  });

  test('tells the balance that was set, and nothing else', () => {
    const { controller, ask } = mockOf();
    expect(controller.balance('a')).toBeUndefined();
    controller.setBalance('a', Buffer.from('{"n":1}'));
    expect(String(controller.balance('a'))).toBe('{"n":1}');
    expect(controller.balance(undefined)).toBeUndefined();
    expect(ask('a').answer.headers).toEqual({ 'content-type': 'application/json; charset=utf-8' });
  });

  test('that nobody made cannot be told anything, and its key is not repeated', async () => {
    const { controller } = mockOf();
    const acts = [
      () => controller.setBalance('no-such-key', Buffer.from('1')),
      () => controller.script('no-such-key', {}, 'append'),
      () => controller.responses('no-such-key'),
      () => controller.removeAccount('no-such-key'),
      () => controller.reset('no-such-key'),
    ];
    for (const act of acts) {
      const { code, message } = thrown(act);
      expect(code).toBe('MOMO_MOCK_ACCOUNT_UNKNOWN');
      expect(message).not.toContain('no-such-key');
    }
    await expect(controller.requests('no-such-key', {})).rejects.toThrow(/no account has this key/);
  });
});
