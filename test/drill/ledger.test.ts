import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { describeBothWays, problemsOf, startMock } from '../support/mock.ts';
import { drills, MomoMockError } from '../support/momo-mock.ts';

const PHONE = '22951010200';
const DRILL = `export default {
  flows: { payment: {
    start: ['POST /pay'], status: [], amounts: { XOF: [5] }, lost: 'unknown',
    ends: { success: { phone: '1' } },
  } },
  ledger: (state) => state.get('entries'),
};`;

const ENTRY = {
  ...{ id: 'a1', kind: 'refund', of: 'b2', amount: 5, currency: 'XOF', party: '1', order: 'c3' },
  ...{ state: 'reversed', time: '2026-11-25T12:00:00.000Z' },
};

async function messageOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('nothing is wrong'),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(MomoMockError);
  expect((error as MomoMockError).code).toMatch(/^MOMO_MOCK_(FIXTURE|REQUEST)_INVALID$/);
  return (error as MomoMockError).message;
}

describeBothWays((start) => {
  it('an account lists its payments and payouts, the oldest first, as the application asked for them', async () => {
    const mock = await start({}, { preset: 'chipdeals' });
    const account = await mock.createAccount();
    await account.freeze();
    const common = { amount: 500, currency: 'XOF' };
    const payment = { ...common, senderPhoneNumber: PHONE, merchantOrderId: 7 };
    await ask(account, '/momo/requestPayment', { method: 'POST', body: payment });
    await account.advance('idle');
    const payout = { ...common, recipientPhoneNumber: '22951010461' };
    await ask(account, '/momo/deposit', { method: 'POST', body: payout });
    const shared = {
      ...common,
      of: null,
      id: expect.any(String),
      time: expect.stringMatching(/Z$/),
    };
    const paid = { ...shared, kind: 'payment', party: PHONE, order: '7', state: 'success' };
    const sent = { ...shared, kind: 'payout', party: '22951010461', order: null };
    expect(await account.ledger()).toEqual([paid, { ...sent, state: 'pending' }]);
    await account.advance('idle');
    expect(await account.ledger()).toEqual([paid, { ...sent, state: 'failed' }]);
    expect(await mock.account().ledger()).toEqual([]);
  });

  it('without a drill.js, the ledger says what is missing', async () => {
    const mock = await start();
    expect(await messageOf(mock.account().ledger())).toBe(
      'Failed to read the ledger: the fixtures have no drill.js, which knows the payments of the provider. Use a preset that has one, or add drill.js to your fixtures.',
    );
  });

  it.each([
    ['a list of other things', [{ id: 'a' }], '[0].kind must be one of payment, payout, refund'],
    ['old', [{ ...ENTRY, payer: '1' }], 'unknown field "ledger[0].payer". Did you mean "party".'],
    [
      'mistyped',
      [{ ...ENTRY, partty: '1' }],
      'unknown field "ledger[0].partty". Did you mean "party". Correct',
    ],
    ['nothing', undefined, 'must be'],
  ])('a ledger that is %s is an error that names drill.js', async (_what, entries, problem) => {
    const mock = await start({ 'drill.js': DRILL });
    if (entries !== undefined) await mock.account().state.set('entries', entries);
    const message = await messageOf(mock.account().ledger());
    expect(message).toContain('Failed to read the ledger with drill.js: ');
    expect(message).toContain(problem);
  });
});

describeBothWays((start) => {
  it.each(['id', 'of', 'order', 'party'] as const)(
    'a secret in %s of an entry is redacted',
    async (name) => {
      const mock = await start({ 'drill.js': DRILL });
      const { apiKey } = mock.account();
      const entry = { ...ENTRY, [name]: `x ${apiKey} y` };
      await mock.account().state.set('entries', [entry]);
      expect(await mock.account().ledger()).toEqual([{ ...entry, [name]: 'x [redacted] y' }]);
    },
  );

  it.each(['refund', 'reversed', '5', '2026', 'XOF', 'null', 'amount'])(
    'the key %s, which is a word, breaks no entry',
    async (key) => {
      const mock = await start({ 'drill.js': DRILL });
      const account = await mock.createAccount({ apiKey: key });
      await account.state.set('entries', [{ ...ENTRY, order: key, of: null }]);
      const [entry] = await account.ledger();
      expect(entry).toEqual({ ...ENTRY, order: '[redacted]', of: null });
    },
  );

  const ITEM = JSON.stringify(ENTRY);
  it.each<readonly [what: string, ledger: string, problem: string]>([
    [
      'throws at once',
      "() => { throw new Error('no state') }",
      'its function ledger throws: Error: no state',
    ],
    ['rejects', "async () => { throw 'a text.' }", 'its function ledger throws: a text'],
    ['throws null', '() => { throw null }', 'its function ledger throws: null'],
    ['throws undefined', '() => { throw undefined }', 'its function ledger throws: undefined'],
    [
      'throws nothing to read',
      "() => { throw '' }",
      'its function ledger throws a value without a text',
    ],
    ['throws a symbol', "() => { throw Symbol('a') }", 'its function ledger throws: Symbol(a)'],
    [
      'throws an object whose toString throws',
      '() => { throw { toString() { throw new Error() } } }',
      'its function ledger throws a value without a text',
    ],
    [
      'throws an error whose message throws',
      "() => { throw Object.defineProperty(new Error(), 'message', { get() { throw 1 } }) }",
      'its function ledger throws a value without a text',
    ],
    [
      'throws a proxy',
      '() => { throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 1 } }) }',
      'its function ledger throws a value without a text',
    ],
    [
      'throws a revoked proxy',
      '() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy; }',
      'its function ledger throws a value without a text',
    ],
    [
      'throws a frozen error',
      "() => { throw Object.freeze(new Error('a')) }",
      'its function ledger throws: Error: a',
    ],
    [
      'throws a long text',
      "() => { throw 'x'.repeat(1e6) }",
      `its function ledger throws: ${'x'.repeat(1000)}`,
    ],
    [
      'returns a promise-like that rejects',
      "() => ({ then(_, no) { no('late') } })",
      'its function ledger throws: late',
    ],
    [
      'returns a revoked proxy',
      '() => { const { proxy, revoke } = Proxy.revocable([], {}); revoke(); return proxy; }',
      'its function ledger throws: TypeError: ',
    ],
    ['returns an object', '() => ({})', 'ledger must be a list of payments, payouts and refunds'],
    [
      'returns an iterator',
      '() => [].values()',
      'ledger must be a list of payments, payouts and refunds',
    ],
    [
      'returns a list with a hole',
      `() => [${ITEM}, , ${ITEM}]`,
      'ledger[1] must be an object with id, ',
    ],
    [
      'returns a list of four billion holes',
      '() => Object.assign([], { length: 2 ** 32 - 1 })',
      'ledger must be a list of at most 100,000',
    ],
    [
      'returns a list with a getter that throws',
      `() => [${ITEM}, { ...${ITEM}, get id() { throw new Error('no id') } }]`,
      'ledger[1] cannot be read: Error: no id',
    ],
    [
      'returns a list with a getter for an item that throws',
      `() => Object.defineProperty([${ITEM}], 0, { get() { throw new Error('no item') } })`,
      'ledger[0] cannot be read: Error: no item',
    ],
    [
      'returns a list with a proxy that throws',
      '() => [new Proxy({}, { ownKeys() { throw new Error("no keys") } })]',
      'ledger[0] cannot be read: Error: no keys',
    ],
    [
      'returns a proxy of a list that throws',
      "() => new Proxy([], { get(_, name) { if (name !== 'then') throw new Error('no length'); } })",
      'ledger cannot be read: Error: no length',
    ],
    [
      'returns a proxy of a list that is revoked at once',
      '() => { const { proxy, revoke } = Proxy.revocable([], {}); queueMicrotask(revoke); return proxy; }',
      'ledger cannot be read: TypeError: ',
    ],
    [
      'returns a list with a circle',
      '() => { const a = {}; a.id = a; return [a]; }',
      'ledger[0] cannot be read: TypeError: ',
    ],
    [
      'returns a bigint',
      `() => [{ ...${ITEM}, amount: 5n }]`,
      'ledger[0] cannot be read: TypeError: ',
    ],
    ...['NaN', 'Infinity', "'5'", '2 ** 53', '-1e300'].map(
      (amount) =>
        [
          `returns the amount ${amount}`,
          `() => [{ ...${ITEM}, amount: ${amount} }]`,
          'ledger[0].amount must be a number of at most 9007199254740991',
        ] as const,
    ),
  ])('a function ledger that %s is an error with a sentence', async (_what, ledger, problem) => {
    const mock = await start({
      'drill.js': DRILL.replace("(state) => state.get('entries')", () => ledger),
    });
    const message = await messageOf(mock.account().ledger());
    expect(message).toContain(`Failed to read the ledger with drill.js: ${problem}`);
    expect(message).toMatch(/[^.]\. Correct the function ledger in it\.$/);
    expect(message.length).toBeLessThan(1200);
  });

  it('an amount keeps its digits', async () => {
    const mock = await start({ 'drill.js': DRILL });
    const amounts = [0.1, 19.99, 1e21 / 1e6, 5e-7, 123456789.125, Number.MAX_SAFE_INTEGER, -0.01];
    await mock.account().state.set(
      'entries',
      amounts.map((amount) => ({ ...ENTRY, amount })),
    );
    const ledger = await mock.account().ledger();
    expect(ledger.map(({ amount }) => amount)).toEqual(amounts);
  });

  it('an error of the ledger shows no secret', async () => {
    const ledger = "async (state) => { throw new Error('no ' + (await state.get('entries'))); }";
    const text = DRILL.replace(/\(state\) => .*,/, `${ledger},`);
    const mock = await start({ 'drill.js': text });
    const { apiKey } = mock.account();
    await mock.account().state.set('entries', `x ${apiKey} y`);
    expect(await messageOf(mock.account().ledger())).toContain('throws: Error: no x [redacted] y');
    const named = DRILL.replace(
      /\(state\) => .*,/,
      `async (state) => [{ [await state.get('entries')]: 1 }],`,
    );
    const other = await start({ 'drill.js': named });
    await other.account().state.set('entries', other.account().apiKey);
    expect(await messageOf(other.account().ledger())).not.toContain(other.account().apiKey);
  });
});

it('a function ledger that never settles is an error after the client timeout', async () => {
  const hanging = DRILL.replace("state.get('entries')", 'new Promise(() => {})');
  const mock = await startMock({ 'drill.js': hanging }, { clientTimeout: 10 });
  expect(await messageOf(mock.account().ledger())).toBe(
    'Failed to read the ledger with drill.js: its function ledger did not settle within 10 ms, which is MOMO_MOCK_CLIENT_TIMEOUT. Correct the function ledger in it.',
  );
});

it('the ledger over HTTP needs the account', async () => {
  const mock = await startMock({}, { preset: 'chipdeals', control: true });
  const response = await fetch(`${mock.controlUrl}/ledger`);
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: {
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message:
        'Failed to read the ledger: each account has its own. Send the header apikey with its key, or call account().ledger().',
    },
  });
});

it('a drill.js of the user replaces the one of the preset', async () => {
  const mock = await startMock({ 'drill.js': DRILL }, { preset: 'chipdeals' });
  expect(await messageOf(mock.account().ledger())).toContain('with drill.js');
});

it('a broken drill.js does not keep a mock from starting, because only the ledger and a drill load it', async () => {
  expect(await problemsOf({ 'drill.js': 'export default {' })).toEqual([]);
});

it.each<readonly [what: string, text: string, sentence: RegExp]>([
  ['a syntax error', 'export default {', /drill\.js.*does not load \(SyntaxError/],
  [
    'no default export',
    'export const pay = 1;',
    /drill\.js: The default export must be an object/i,
  ],
  [
    'an unknown field',
    DRILL.replace('flows:', 'advise: {}, flows:'),
    /drill\.js: unknown field "advise".*Did you mean "advice"\?$/,
  ],
  [
    'a credential that is not a name',
    DRILL.replace('flows:', "credentials: ['api-user'], flows:"),
    /drill\.js: credentials\[0\] must be a name such as "apiUser"/,
  ],
  ...['data', 'Flow', 'webhook', 'webhookSecret', 'webhook_secret'].map(
    (name) =>
      [
        `the credential ${name}, whose variable is the drill's`,
        DRILL.replace('flows:', `credentials: ['user', '${name}'], flows:`),
        /drill\.js: credentials\[1\] must be .* none of data, flow, webhook, webhookSecret, whose variables are the drill's\. Correct it/,
      ] as const,
  ),
  [
    'the same credential twice',
    DRILL.replace('flows:', "credentials: ['user', 'user'], flows:"),
    /drill\.js: credentials must be a list of different names/,
  ],
  ['no ledger', DRILL.replace('ledger:', 'prepare:'), /drill\.js: ledger must be a function/],
  [
    'an operation without a method',
    DRILL.replace("'POST /pay'", "'/pay'"),
    /drill\.js: flows\.payment\.start.* must be /,
  ],
  [
    'no operation that starts a payment',
    DRILL.replace("'POST /pay'", ''),
    /drill\.js: flows\.payment\.start must be a list of operations/,
  ],
  [
    'an amount of 0',
    DRILL.replace('[5]', '[5, 0]'),
    /drill\.js: flows\.payment\.amounts must be an object of lists of amounts by currency/,
  ],
  [
    'an unknown end',
    DRILL.replace('success: {', "declned: { phone: '1' }, success: {"),
    /drill\.js: unknown field "flows\.payment\.ends\.declned".*Did you mean "declined"\?$/,
  ],
  [
    'an unknown member of a flow',
    DRILL.replace('lost:', 'lostt:'),
    /drill\.js: unknown field "flows\.payment\.lostt".*Did you mean "lost"\?$/,
  ],
])('a drill.js with %s is an error with a sentence', async (_what, text, sentence) => {
  const mock = await startMock({ 'drill.js': text });
  expect(await messageOf(mock.account().ledger())).toMatch(sentence);
});

/** What a drill says of a `drill.js`. */
async function refusal(text: string): Promise<string> {
  const { folder } = await startMock({ 'drill.js': text });
  const application = { pay: async () => {}, outcome: async () => 'paid' as const };
  const failures = drills({ fixturesDir: folder, ...application });
  const [first] = [...failures];
  const message = await messageOf(first?.run() ?? Promise.resolve());
  await failures.close();
  return message;
}

it('a drill.js that knows a failure which does not exist is an error of the drill', async () => {
  const text = DRILL.replace('flows:', "cannot: { 'lost-respons': 'x' }, flows:");
  expect(await refusal(text)).toBe(
    'Failed to read drill.js: cannot has the unknown failure "lost-respons". Did you mean "lost-response"?',
  );
});

it.each([
  ["credentials: ['user'], prepare: () => ({})", 'no text for "user", which is in credentials.'],
  [
    "credentials: ['user'], prepare: () => ({ user: 5 })",
    'no text for "user", which is in credentials.',
  ],
  [
    "prepare: () => ({ user: 'u1' })",
    '"user", which is not in credentials. Add it there, or omit it here.',
  ],
])('a drill.js with %s is an error of the drill', async (fields, problem) => {
  expect(await refusal(DRILL.replace('flows:', `${fields}, flows:`))).toBe(
    `Failed to read drill.js: prepare returned ${problem}`,
  );
});
