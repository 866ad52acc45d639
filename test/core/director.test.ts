import { describe, expect, test } from 'vitest';
import { doubleOf, NUMBER_N } from './double-of.ts';

function thrown(act: () => unknown): { code: string; message: string } {
  try {
    act();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('nothing was thrown');
}

describe('a scripted response', () => {
  test.each<[unknown, string]>([
    [null, 'a response'],
    ['503', 'a response'],
    [503, 'a response'],
    [[[{}]], 'a response'],
    [{ sttus: 503 }, 'a field of a response'],
    [{ status: '503' }, 'status'],
    [{ status: 199 }, 'status'],
    [{ status: 600 }, 'status'],
    [{ status: 200.5 }, 'status'],
    [{ headers: [] }, 'headers'],
    [{ headers: null }, 'headers'],
    [{ operation: null }, 'operation'],
    [{ status: null }, 'status'],
    [{ headers: { 'a b': 'x' } }, 'headers'],
    [{ headers: { a: 'x\r\ny: z' } }, 'a value in headers'],
    [{ headers: { a: 'x\u0100' } }, 'a value in headers'],
    [{ headers: { a: 1 } }, 'a value in headers'],
    [{ headers: { 'Content-Length': '1' } }, 'headers'],
    [{ headers: { 'transfer-encoding': 'chunked' } }, 'headers'],
    [{ body: undefined }, 'body'],
    [{ body: () => 1 }, 'body'],
    [{ fault: 'explode' }, 'fault'],
    [{ fault: {} }, 'fault.type'],
    [{ fault: { type: 'reset', duration: 1 } }, 'fault.duration'],
    [{ fault: { type: 'dribble', duration: -1 } }, 'fault.duration'],
    [{ times: 0 }, 'times'],
    [{ times: 1.5 }, 'times'],
    [{ times: 'forever' }, 'times'],
    [{ beforeKeyCheck: 1 }, 'beforeKeyCheck'],
    [{ operation: 7 }, 'operation'],
  ])('%j is refused, naming the field, and nothing changes', (response, field) => {
    const { director, say } = doubleOf();
    const { code, message } = thrown(() =>
      director.script('a', [{ status: 503 }, response], 'append'),
    );
    expect(code).toBe('MOMO_MOCK_REQUEST_INVALID');
    expect(message).toMatch(new RegExp(`^Failed to read ${field}: .*\\. Give .*\\.$`));
    expect(say('a')).toBe('200 default');
  });

  test('before the key check is not for an account', () => {
    const { director } = doubleOf();
    const { message } = thrown(() => director.script('a', { beforeKeyCheck: true }, 'append'));
    expect(message).toMatch(/^Failed to read beforeKeyCheck/);
  });

  test('is for an operation that there is', () => {
    const { director } = doubleOf();
    expect(thrown(() => director.script('a', { operation: 'GET /nothing' }, 'append'))).toEqual(
      expect.objectContaining({
        code: 'MOMO_MOCK_OPERATION_UNKNOWN',
        message: expect.stringContaining('GET /momo/balance, GET /momo/status/:reference'),
      }),
    );
  });

  test('is told again as it was given, with what is left of it', () => {
    const { director, say } = doubleOf();
    director.script(
      'a',
      [
        { body: 1, times: 3 },
        { fault: 'reset', times: 'always' },
      ],
      'append',
    );
    say('a');
    expect(director.responses('a')).toEqual([
      { operation: 'GET /momo/balance', body: 1, times: 2 },
      { operation: 'GET /momo/balance', fault: 'reset', times: 'always' },
    ]);
    expect(director.responses(undefined)).toEqual([]);
    director.script('a', { body: 2 }, 'replace');
    expect(say('a')).toBe('200 2');
  });
});

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

  test.each<[unknown, string]>([
    [{ apikey: '' }, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ apikey: 'a b' }, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ apikey: 7 }, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ apikey: null }, 'MOMO_MOCK_REQUEST_INVALID'],
    [{ apikey: 'x'.repeat(2000) }, 'MOMO_MOCK_REQUEST_INVALID'],
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

test.each<[unknown, string]>([
  [{ status: 'x' }, 'status'],
  [{ reason: 'bored' }, 'reason'],
  [{ path: 1 }, 'path'],
  [{ since: -1 }, 'since'],
  [{ limit: 0.5 }, 'limit'],
  [{ waitFor: '2' }, 'waitFor'],
  [{ timeout: -1 }, 'timeout'],
  [{ account: 'account-1' }, 'a field of the filter'],
])('requests(%j) is refused', async (options, field) => {
  const { director } = doubleOf();
  await expect(director.requests(undefined, options)).rejects.toMatchObject({
    code: 'MOMO_MOCK_REQUEST_INVALID',
    message: expect.stringMatching(new RegExp(`^Failed to read ${field}: `)),
  });
});

test('an account sees and forgets its own requests alone', async () => {
  const { director, double } = doubleOf();
  for (const key of ['a', 'b', 'a']) {
    const { account } = double.answer({ method: 'GET', target: `/x?apikey=${key}`, headers: {} });
    double.journal.note(double.journal.open('GET', {}), { account: account?.id ?? null });
  }
  const ids = async (key?: string) => (await director.requests(key, {})).map(({ id }) => id);
  expect([await ids('a'), await ids('b'), await ids()]).toEqual([[1, 3], [2], [1, 2, 3]]);
  director.clearRequests('a');
  expect([await ids('a'), await ids()]).toEqual([[], [2]]);
  director.reset('b');
  expect(await ids()).toEqual([]);
});
