import { Agent } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, control } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import type { MomoAccount, MomoMock } from '../support/momo-mock.ts';

const FILES = { 'momo/balance.get.json': { of: 'file' }, 'momo/balance.get.empty.json': [] };

it('a new account has a random key and everything that a client needs', async () => {
  const mock = await startMock(FILES);
  const [first, second] = [await mock.createAccount(), await mock.createAccount()];
  for (const { apiKey } of [first, second]) expect(apiKey).toMatch(/^momo_test_[\w-]{24}$/);
  expect(new Set([mock.apiKey, first.apiKey, second.apiKey]).size).toBe(3);
  expect(first).toMatchObject({ url: mock.url, ca: mock.ca });
  expect((await ask(first)).status).toBe(200);
});

it.each([
  [{ apiKey: 'momo/test+key=1' }, { of: 'file' }],
  [{ apiKey: 'x'.repeat(1024) }, { of: 'file' }],
  [{ variant: 'empty' }, []],
  [{ balance: { amount: 1e12 } }, { amount: 1e12 }],
  [{ variant: 'empty', balance: { amount: 1 } }, { amount: 1 }],
])(
  'an account is created with the options %j, and a reset restores them',
  async (options, balance) => {
    const mock = await startMock(FILES);
    const account = await mock.createAccount(options);
    if ('apiKey' in options) expect(account.apiKey).toBe(options.apiKey);
    for (const again of [false, true]) {
      expect([again, (await ask(account)).json]).toEqual([again, balance]);
      await account.setBalance({ of: 'test' });
      await account.reset();
    }
  },
);

it.each([
  ['the key of another account', { apiKey: 'taken' }, 'MOMO_MOCK_ACCOUNT_EXISTS'],
  ['a key as a field', { taken: 1 }, 'MOMO_MOCK_REQUEST_INVALID'],
  ['a variant without a file', { variant: 'sekret' }, 'MOMO_MOCK_VARIANT_UNKNOWN'],
  ['a balance that JSON cannot represent', { balance: () => 1 }, 'MOMO_MOCK_REQUEST_INVALID'],
])(
  'an account with %s is refused, and the error does not repeat the value',
  async (_what, options, code) => {
    const mock = await startMock(FILES);
    await mock.createAccount({ apiKey: 'taken' });
    const refused = mock.createAccount(options as object);
    await expect(refused).rejects.toMatchObject({ name: 'MomoMockError', code });
    await expect(refused).rejects.not.toThrow(/taken|sekret/);
  },
);

it("the mock's own account has what a request with its key uses, and its id is in the journal", async () => {
  const mock = await startMock({
    ...FILES,
    'momo/pay.post.js':
      "export default async (_, { state }) => void (await state.set('paid', 500));",
  });
  const account = mock.account();
  expect([account.apiKey, account.url, account]).toEqual([mock.apiKey, mock.url, mock.account()]);
  await ask(mock, '/momo/pay', { method: 'POST' });
  expect(await account.state.get<number>('paid')).toBe(500);
  expect(await mock.requests()).toMatchObject([{ account: account.id }]);
  await account.setBalance({ own: true });
  expect((await ask(mock)).json).toEqual({ own: true });
  expect((await ask(await mock.createAccount())).json).not.toEqual({ own: true });
  await account.reset();
  expect([await account.requests(), await account.state.get('paid')]).toEqual([[], undefined]);
});

it("the mock's own account has its new id after a reset, and cannot be removed", async () => {
  const mock = await startMock(FILES);
  const account = mock.account();
  await mock.createAccount();
  await mock.reset();
  await ask(mock);
  expect(await mock.requests()).toMatchObject([{ account: account.id }]);
  await expect(account.remove()).rejects.toMatchObject({
    code: 'MOMO_MOCK_REQUEST_INVALID',
    message: expect.stringContaining('it is the account of mock.apiKey'),
  });
  expect((await ask(mock)).status).toBe(200);
});

it('an account has the id that the journal shows', async () => {
  const mock = await startMock(FILES);
  const [one, other] = [await mock.createAccount(), await mock.createAccount()];
  await ask(other);
  await ask(one);
  expect(await mock.requests()).toMatchObject([{ account: other.id }, { account: one.id }]);
});

it('reading a value of all accounts that only an account has fails, and names mock.account()', async () => {
  const mock = await startMock(FILES);
  await mock.account().state.set('deposits/1', 500);
  await expect(mock.state.get('deposits/1')).rejects.toMatchObject({
    name: 'MomoMockError',
    code: 'MOMO_MOCK_STATE_IN_ACCOUNT',
    message: expect.stringContaining('mock.account().state'),
  });
  await expect(mock.state.list('deposits/')).rejects.toMatchObject({
    code: 'MOMO_MOCK_STATE_IN_ACCOUNT',
  });
  expect(await mock.state.list('payments/')).toEqual({});
  expect(await mock.state.get('deposits/2')).toBeUndefined();
  expect(await mock.account().state.get('deposits/2')).toBeUndefined();
  // It can still be written, also in dependence on the value that all accounts have.
  expect(await mock.state.update('deposits/1', (value = 0) => value + 1)).toBe(1);
  expect(await mock.state.get('deposits/1')).toBe(1);
  expect(await mock.state.list('deposits/')).toEqual({ 'deposits/1': 1 });
});

it('the key of a removed account is a wrong one, and its journal stays', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await ask(account);
  await account.remove();
  expect((await ask(account)).status).toBe(401);
  expect(await mock.requests()).toMatchObject([{ status: 200 }, { reason: 'key-unknown' }]);
  const calls: ((one: MomoAccount) => Promise<unknown>)[] = [
    (one) => one.setBalance({}),
    (one) => one.clearBalance(),
    (one) => one.responses(),
    (one) => one.clearRequests(),
    (one) => one.setVariant('empty'),
    (one) => one.respondWith({}),
    (one) => one.requests(),
    (one) => one.verify({}),
    (one) => one.verifyUsed(),
    (one) => one.webhooks(),
    (one) => one.scriptWebhooks([]),
    (one) => one.state.get('a'),
    (one) => one.advance(0),
    (one) => one.freeze(),
    (one) => one.reset(),
    (one) => one.remove(),
  ];
  for (const call of calls) {
    const gone = { code: 'MOMO_MOCK_ACCOUNT_UNKNOWN' };
    await expect(call(account), `${call}`).rejects.toMatchObject(gone);
  }
});

it('an account has its own variant, or else the variant of all accounts', async () => {
  const apiKeys = ['one', 'two=empty'];
  const mock = await startMock(FILES, { apiKeys, variant: 'single' });
  const made = await mock.createAccount();
  const named = await mock.createAccount({ variant: 'empty' });
  const keys = ['one', made.apiKey, 'two', named.apiKey];
  const files = async () => {
    for (const apiKey of keys) await ask({ ...mock, apiKey });
    return (await mock.requests()).slice(-keys.length).map(({ variant }) => variant);
  };
  expect(await files()).toEqual(['single', 'single', 'empty', 'empty']);
  await mock.setVariant('empty');
  expect(await files()).toEqual(['empty', 'empty', 'empty', 'empty']);
});

it('a reset resets one account or all accounts', async () => {
  const mock = await startMock(FILES);
  const [account, other] = [await mock.createAccount(), await mock.createAccount()];
  for (const one of [account, other, mock]) {
    await one.setBalance({ of: one.apiKey });
    await ask(one);
    if (one !== mock) await one.respondWith({ status: 503 });
  }
  await account.reset();
  expect(await account.requests()).toEqual([]);
  expect(await other.requests()).toHaveLength(1);
  expect((await ask(other)).status).toBe(503);
  expect((await ask(other)).json).toEqual({ of: other.apiKey });
  await mock.setTls('expired');
  await mock.reset();
  expect(await mock.requests()).toEqual([]);
  expect((await ask(account)).status).toBe(401);
  expect((await ask(mock)).json).toEqual({ of: 'file' });
  expect((await mock.createAccount({ apiKey: account.apiKey })).apiKey).toBe(account.apiKey);
});

it('50 accounts that 50 clients use at the same time never see each other', async () => {
  const mock = await startMock(FILES);
  const made = await Promise.all(Array.from({ length: 50 }, () => mock.createAccount()));
  await Promise.all(made.map((account, index) => work(mock, account, index)));
  expect((await ask(mock)).json).toEqual({ of: 'file' });
  // Each second one was reset.
  expect(await mock.requests()).toHaveLength(25 * 5 + 1);
});

/** Works an account as a test would, by a client that keeps its connection. */
async function work({ ca }: MomoMock, account: MomoAccount, index: number): Promise<void> {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const path = `/momo/balance?index=${index}`;
  const get = async () => await ask(account, path, { agent });
  await account.setBalance({ amount: index });
  expect((await get()).json).toEqual({ amount: index });
  const headers = { 'x-account': `${index}` };
  await account.respondWith([
    { status: 503, headers },
    { status: 429, headers, times: 2 },
  ]);
  for (const status of [503, 429, 429]) {
    expect(await get()).toMatchObject({ status, headers });
  }
  expect((await get()).json).toEqual({ amount: index });
  const journal = await account.requests();
  expect(journal.map(({ query }) => query.index)).toEqual(Array(5).fill(`${index}`));
  expect(new Set(journal.map((entry) => entry.account)).size).toBe(1);
  if (index % 2 === 0) await account.reset();
}

describe('the control API', () => {
  const startControlled = () =>
    startMock(FILES, { control: true, apiKeys: ['alice-key', 'bob-key'] });

  it.each([
    ['no body', {}],
    ['an empty object', { body: {} }],
    ['an empty body of JSON', { headers: { 'content-type': 'application/json' } }],
  ])('creates an account for a request with %s, and returns its id', async (_what, options) => {
    const mock = await startControlled();
    const { status, json } = await control(mock, 'POST /accounts', options);
    expect([status, json]).toEqual([201, { apiKey: expect.any(String), id: 'account-3' }]);
    expect((await ask({ ...mock, ...(json as { apiKey: string }) })).status).toBe(200);
  });

  it('lists the accounts by id with their variants, and accepts an id in place of a key', async () => {
    const mock = await startControlled();
    const headers = { account: 'account-2' };
    await control(mock, 'POST /accounts', { body: { variant: 'empty' } });
    await control(mock, 'PUT /variant', { headers, body: { variant: 'single' } });
    expect((await control(mock, 'GET /accounts')).json).toEqual({
      accounts: [
        { id: 'account-1', variant: null },
        { id: 'account-2', variant: 'single' },
        { id: 'account-3', variant: 'empty' },
      ],
    });
    expect((await control(mock, 'DELETE /accounts', { headers })).status).toBe(204);
    const keys = ['alice-key', 'bob-key'];
    const statuses = keys.map(async (apiKey) => (await ask({ ...mock, apiKey })).status);
    expect(await Promise.all(statuses)).toEqual([200, 401]);
  });

  it.each([
    {
      line: 'GET /balance',
      headers: { account: 'sekret' },
      status: 404,
      words: 'no account has this id',
    },
    {
      line: 'GET /balance',
      headers: { account: 'account-1', apikey: 'alice-key' },
      status: 400,
      words: 'the header account',
    },
    {
      line: 'POST /accounts',
      headers: { account: 'account-1' },
      status: 400,
      words: 'the header account: must be left out',
    },
    { line: 'POST /accounts', headers: { apikey: 'alice-key' }, status: 400, words: 'in the body' },
    { line: 'DELETE /accounts', headers: {}, status: 400, words: 'the header apikey' },
    {
      line: 'DELETE /accounts',
      headers: { apikey: 'sekret' },
      status: 404,
      words: 'no account has this key',
    },
    {
      line: 'GET /balance?apikey=alice-key',
      headers: {},
      status: 400,
      words: 'the query: must not contain a key',
    },
    {
      line: 'POST /reset?api_key=alice-key',
      headers: {},
      status: 400,
      words: 'the query: must not contain a key',
    },
    {
      line: 'PUT /tls',
      headers: { apikey: 'alice-key' },
      status: 400,
      words: 'TLS is the same for all accounts',
    },
  ])(
    'refuses $line with the headers $headers with status $status: $words',
    async ({ line, headers, status, words }) => {
      const mock = await startControlled();
      const body = line.startsWith('PUT') ? { body: { mode: 'normal' } } : {};
      const response = await control(mock, line, { headers, ...body });
      const message = expect.stringContaining(words);
      expect(response).toMatchObject({ status, json: { error: { message } } });
      expect(response.text).not.toMatch(/sekret|alice-key/);
    },
  );
});
