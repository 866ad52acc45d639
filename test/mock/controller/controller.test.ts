import { describe, expect, test } from 'vitest';
import type { AccountOptions } from '../../../src/mock/account-options.ts';
import type { Controller } from '../../support/running-mock.ts';
import { mockOf, NUMBER_N } from '../mock-of.ts';
import { thrown } from '../thrown.ts';

describe('a body against the schema of its operation', () => {
  const rejected = expect.objectContaining({
    code: 'MOMO_MOCK_BODY_REJECTED',
    message:
      'Failed to accept the body: body.n must be a number. Send a body that satisfies n.schema.json.',
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

  test('is an error that lists all that is wrong, as JSON or as plain text', () => {
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
      expect(message).toBe(`Failed to accept the body: ${type}; no. Send a body that satisfies f.`);
    }
  });

  test('is refused without the keys that its names hold', () => {
    const { controller, mock } = mockOf({
      file: 'f',
      schema: {},
      validate: (body) =>
        Object.keys(Object(body)).map(
          (name) =>
            `/in/${name.replaceAll('~', '~0').replaceAll('/', '~1')}/it must NOT have ("${name}")`,
        ),
    });
    for (const key of ['right/key~1', 'xy']) mock.redactor.remember(key);
    const messageOf = (name: string) => {
      const balance = { [name]: 1 };
      const json = Buffer.from(JSON.stringify(balance));
      const acts = [
        () => controller.setBalance('a', json),
        () => controller.script('a', { body: balance }, 'append'),
        () => void controller.createAccount({ apikey: 'just-given', balance }),
      ];
      const [first = '', ...others] = acts.map((act) => thrown(act).message);
      expect(others).toEqual([first, first]);
      return first.slice('Failed to accept the body: '.length);
    };
    const rest = 'Send a body that satisfies f.';
    const redacted = `/in/[redacted]/it must NOT have ("[redacted]"). ${rest}`;
    for (const name of ['Right/Key~1', 'xy']) expect(messageOf(name)).toBe(redacted);
    expect(messageOf('my-right/key~1')).toBe(
      `/in/my-[redacted]/it must NOT have ("my-[redacted]"). ${rest}`,
    );
    expect(messageOf('xyz/~')).toBe(`/in/xyz~1~0/it must NOT have ("xyz/~"). ${rest}`);
    // The key of an account that is not made is one as well.
    const { message } = thrown(() =>
      controller.createAccount({ apikey: 'just-given', balance: { 'just-given': 1 } }),
    );
    expect(message).not.toContain('just-given');
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
    expect(mock.redactor.redact('a key-of-a-test b')).toBe('a [redacted] b');
  });

  test.each<[AccountOptions, code: string, words: string]>([
    [
      { apikey: 'a' },
      'MOMO_MOCK_ACCOUNT_EXISTS',
      'Failed to make an account: an account with this key exists. Use another key',
    ],
    [
      { variant: 'huge' },
      'MOMO_MOCK_VARIANT_UNKNOWN',
      'Failed to find the variant: it has no fixture file. Use one of: empty, single.',
    ],
  ])('%j is refused, with what may be instead', (options, code, words) => {
    const { controller, mock } = mockOf();
    const error = thrown(() => controller.createAccount(options));
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
    expect([...mock.accounts.keys]).toEqual(['a', 'b']);
  });

  test('may have a key of 1024 characters, and any variant that there is', () => {
    const { controller, say } = mockOf();
    const key = controller.createAccount({ apikey: 'x'.repeat(1024), variant: 'single' });
    expect(say(key)).toBe('200 single');
  });

  test('tells the balance that was set, and nothing else', () => {
    const { controller, mock, ask, say } = mockOf();
    expect(controller.balance('a')).toBeUndefined();
    controller.setBalance('a', Buffer.from('{"n":1}'));
    expect(String(controller.balance('a'))).toBe('{"n":1}');
    expect(controller.balance(undefined)).toBeUndefined();
    mock.redactor.remember('right-key');
    const key = ' { "right-key": "x right-key", "n":"1.00" }\n';
    controller.setBalance('b', Buffer.from(key));
    expect(String(controller.balance('b'))).toBe(' { "[redacted]": "x [redacted]", "n":"1.00" }\n');
    expect(say('b')).toBe(`200 ${key}`);
    expect(ask('a').answer.headers).toEqual({ 'content-type': 'application/json; charset=utf-8' });
  });

  test('that nobody made cannot be configured, and its key is not repeated', async () => {
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
