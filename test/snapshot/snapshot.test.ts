import { describe, expect, it } from 'vitest';
import { AS_JSON, ask, control } from '../support/client.ts';
import { startLogged, startMock, type TestMock } from '../support/mock.ts';
import type { MomoAccount } from '../support/momo-mock.ts';
import { startHeldWebhook, startWebhook } from '../support/webhook.ts';

const FILES = {
  'momo/pay.post.js': `export default async ({ body }, { state, after, webhook }) => {
    await state.set('payment', 'pending');
    webhook({ url: body.url, body: 'paid', delay: 60000, retry: [1000] });
    after(1000, () => state.set('payment', 'success'));
  };`,
  'momo/other.get.json': '{}',
  'momo/balance.get.empty.json': '{"balance":[]}',
};
const DEEP = '{"a":'.repeat(5000) + 1 + '}'.repeat(5000);
const INVALID = { code: 'MOMO_MOCK_SNAPSHOT_INVALID' };
/** No JavaScript number has these digits. */
const EXACT = '{"id":12345678901234567890,"amount":100.00}';

/** A webhook that waits, as a snapshot has it. */
const queued = (more: object) => ({
  id: '974ba848-3f62-4445-8942-869b0e1c031d',
  webhook: JSON.stringify({ url: 'http://localhost', ...more }),
  ...{ isScripted: false, isLost: false, left: 1, attempt: 1, wait: 0 },
});
const saved = (id: string) => ({ id, key: 'k', lastUsed: '2026-01-01', saved: {} });

const text = async (target: TestMock | MomoAccount, path?: string) =>
  (await ask(target, path)).text.trim();
const pay = (target: TestMock | MomoAccount, url = '') =>
  ask(target, '/momo/pay', { method: 'POST', body: { url } });

it('a restored mock has everything that was remembered, and nothing else', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount({ state: { start: 1 } });
  await mock.setVariant('empty');
  await mock.respondWith({ status: 503, times: 3 });
  await mock.scriptWebhooks([{ delay: 5 }]);
  await mock.state.set('all', [1]);
  await account.setBalance({ mine: 1 });
  await account.setRateLimit({ limit: 3, window: 1000 });
  await account.freeze();
  await account.advance(5000);
  await account.state.delete('start');
  expect((await ask(account)).status).toBe(503);
  const snapshot = await mock.snapshot();
  await mock.reset();
  const left = await mock.createAccount();
  await mock.restore(JSON.parse(JSON.stringify(snapshot)));

  expect((await ask(left)).status).toBe(401);
  expect(await account.state.list()).toEqual({ all: [1] });
  expect([(await ask(account)).status, (await ask(mock)).status]).toEqual([503, 503]);
  expect(await text(account)).toBe('{"mine":1}');
  expect((await ask(account)).status).toBe(429);
  await account.advance(1000);
  expect(await text(account)).toBe('{"mine":1}');
  expect(await text(mock)).toBe('{"balance":[]}');
  expect(await mock.snapshot()).not.toEqual(snapshot);
  await mock.restore(snapshot);
  expect(await mock.snapshot()).toEqual(snapshot);
  await account.reset();
  expect(await account.state.list()).toEqual({ all: [1], start: 1 });
});

it('an account can restore the snapshot of another account, and keeps its own key and initial values', async () => {
  const mock = await startMock(FILES);
  const prepared = await mock.createAccount({ balance: { start: 'prepared' } });
  await prepared.state.set('customer', { name: 'Ama' });
  await prepared.setBalance({ balance: 7 });
  const snapshot = await prepared.snapshot();
  expect(JSON.stringify(snapshot)).not.toContain(prepared.apiKey);
  const customers = [
    await mock.createAccount({ balance: { start: 'own' } }),
    await mock.createAccount(),
  ];
  for (const customer of customers) {
    await customer.restore(snapshot);
    expect(await text(customer)).toBe('{"balance":7}');
    expect(await customer.state.get('customer')).toEqual({ name: 'Ama' });
  }
  await customers[0]?.reset();
  expect(await text(customers[0] as MomoAccount)).toBe('{"start":"own"}');
  expect(await text(prepared)).toBe('{"balance":7}');
});

it('a snapshot of an account and one of all accounts cannot replace each other', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await expect(mock.restore(await account.snapshot())).rejects.toMatchObject(INVALID);
  await expect(account.restore(await mock.snapshot())).rejects.toMatchObject(INVALID);
});

it('timers of handlers are not restored, and their work stays undone', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await account.freeze();
  await pay(account);
  const snapshot = await account.snapshot();
  expect(snapshot.timers).toBe(1);
  await account.restore(snapshot);
  await account.advance('idle');
  expect(await account.state.get('payment')).toBe('pending');
});

it('a waiting webhook and one in flight are sent after a restore', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  const { url, calls } = await startWebhook();
  await account.freeze();
  await pay(account, url);
  await account.advance(1000);
  const waiting = await account.snapshot();
  await account.reset();
  await account.restore(waiting);
  await account.advance(58_999);
  expect(calls).toHaveLength(0);
  await account.advance(1);
  expect(calls.map(({ body }) => body)).toEqual(['paid']);

  const app = await startHeldWebhook();
  const { url: slow, calls: held, respond } = app;
  const sent = account.sendWebhook({ url: slow, body: 'now' });
  await expect.poll(() => held).toHaveLength(1);
  const inFlight = await account.snapshot();
  respond();
  await sent;
  await account.restore(inFlight);
  await account.advance('idle');
  expect(held.map(({ body }) => body)).toEqual(['now', 'now']);
});

it('every problem of a snapshot is named with its place, and nothing changes', async () => {
  const mock = await startMock(FILES);
  await mock.respondWith({ operation: 'GET /momo/other', status: 503 });
  await mock.state.set('a', 1);
  await mock.setVariant('empty');
  const before = await mock.snapshot();
  const snapshot = JSON.parse(
    JSON.stringify(before)
      .replace('GET /momo/other', 'GET /momo/none')
      .replace('"variant":"empty"', '"variant":"none"'),
  );
  snapshot.all.clock = { offset: 'late' };
  snapshot.all.colour = 'red';
  const error = await mock.restore(snapshot).catch((error) => error);
  expect(error).toMatchObject(INVALID);
  for (const place of ['all.responses[0]', 'all.variant', 'all.clock: ', 'nknown field in all']) {
    expect(error.message).toContain(place);
  }
  expect(await mock.snapshot()).toEqual(before);
});

it.each([
  ['is of another version', { version: 99 }, 'version 99'],
  ['has no version', { version: undefined }, 'version'],
  ['has an unknown part', { colour: 1 }, 'colour'],
  ['has a text for its accounts', { accounts: 'none' }, 'accounts'],
  ['has an account without its parts', { accounts: [{}] }, 'accounts[0]'],
  ['has a state that is not JSON', { all: { state: [{ name: 'a', json: '{' }] } }, 'state[0]'],
  ['has a state with 5,000 levels', { all: { state: [{ name: 'a', json: DEEP }] } }, 'state[0]'],
  ['has 5,000 levels', { all: JSON.parse(DEEP) }, '100 levels'],
  [
    'has a response that is not one',
    { all: { responses: [{ response: '{"a":1}', used: 0 }] } },
    'responses[0]',
  ],
  ['has a webhook that is not one', { all: { webhooks: [{ webhook: '{}' }] } }, 'webhooks[0]'],
  [
    'has a webhook with a signature that is not one',
    { all: { webhooks: [queued({ sign: { secret: 1 } })] } },
    'webhooks[0].webhook: must be a webhook, as JSON in a string',
  ],
  [
    'has a webhook that is sent too often',
    { all: { webhooks: [{ ...queued({}), left: 101 }] } },
    'left',
  ],
  [
    'has two accounts with one key',
    { accounts: [saved('account-2'), saved('account-3')] },
    'accounts[1]: another account has the same key',
  ],
  ['has an id of another form', { accounts: [saved('<b>')] }, 'accounts[0].id: must be an id'],
  [
    'has an initial state that is not JSON',
    {
      accounts: [
        {
          id: 'account-2',
          key: 'k',
          lastUsed: '2026-01-01',
          initial: { state: [{ name: '', json: '1' }] },
          saved: {},
        },
      ],
    },
    'initial',
  ],
  ['has a version that is not a number', { version: 'x' }, 'version: must be a whole number.'],
  [
    'has an age of a rate limit that is not a number',
    { all: { rateLimit: { counted: { limit: 1, window: 1, count: 0, age: 'x' } } } },
    'counted.age: must be a number.',
  ],
  ['has too many accounts', { accounts: Array(15_001).fill({}) }, 'a list of at most 15000'],
  ['has a webhook script that is not JSON', { all: { webhookScript: '[' } }, 'webhookScript'],
  [
    'has a webhook script with too many texts',
    { all: { webhookScript: JSON.stringify(Array(101).fill({ match: { body: 'a' } })) } },
    'webhookScript',
  ],
])('a snapshot that %s is refused', async (_what, change, named) => {
  const mock = await startMock(FILES);
  const before = await mock.snapshot();
  const error = await mock
    .restore({ ...before, ...change } as typeof before)
    .catch((error) => error);
  expect(error.code).toMatch(/^MOMO_MOCK_(SNAPSHOT|REQUEST)_INVALID$/);
  expect(error.message).toContain(named);
  expect(await mock.snapshot()).toEqual(before);
});

it('a snapshot with 5,000 levels is refused over HTTP, too', async () => {
  const mock = await startMock({}, { control: true });
  const body = `{"version":1,"timers":0,"all":${DEEP},"accounts":[]}`;
  const { status, json } = await control(mock, 'PUT /snapshot', { headers: AS_JSON, body });
  const message = expect.stringContaining('at most 100 levels');
  expect({ status, json }).toMatchObject({ status: 400, json: { error: { message } } });
});

describe('the keys', () => {
  it('of the settings are in no snapshot, even where tests set them, and come back with a restore', async () => {
    const keys = ['sekret-key', 'sek"ret', 'a'];
    const mock = await startMock(FILES, { apiKeys: keys, control: true });
    const nested = Array(5)
      .fill(0)
      .reduce<string>((text) => JSON.stringify(text), 'sek"ret');
    await mock.state.set('given', { keys, nested });
    await mock.setBalance({ keys });
    const created = await mock.createAccount();
    const snapshot = await mock.snapshot();
    const json = JSON.stringify(snapshot);
    expect(json).not.toMatch(/sekret-key|sek\\*"ret/);
    expect(json).toContain(created.apiKey);
    await mock.reset();
    await mock.restore(snapshot);
    expect(JSON.parse(await text(mock))).toEqual({ keys });
    expect((await ask(created)).status).toBe(200);
  });

  it('stay hidden beside text that looks like a mark of a key, which stays as it is', async () => {
    const mock = await startMock(FILES, { apiKeys: ['sekret-key'] });
    await mock.state.set('given', 'a sekret-key');
    const snapshot = await mock.snapshot();
    const [mark = ''] = /\[key [^\]]+\]/.exec(JSON.stringify(snapshot)) ?? [];
    const given = { snapshot, texts: [mark, `[key ${mark}`, '[key= ', '[key sekret-key]'] };
    await mock.setBalance(given);
    const nested = await mock.snapshot();
    expect(JSON.stringify(nested)).not.toContain('sekret-key');
    const others = [mock, await startMock(FILES), await startMock(FILES, { apiKeys: ['a'] })];
    for (const other of others) await other.restore(nested);
    expect(JSON.parse(await text(mock))).toEqual(given);
    for (const other of others.slice(1)) {
      const { texts, ...rest } = JSON.parse(await text(other));
      expect(rest).toEqual({ snapshot });
      expect(texts).toEqual([
        mark,
        `[key ${mark}`,
        '[key= ',
        expect.stringContaining('[key [key '),
      ]);
    }
  });

  it('that were removed from the settings do not come back, and their accounts are named', async () => {
    const before = await startMock(FILES, { apiKeys: ['old-key', 'kept-key'] });
    await before.respondWith({ status: 202, times: 'always' });
    const after = await startLogged(FILES, { API_KEYS: 'new-key,kept-key' });
    expect(await after.restore(await before.snapshot())).toEqual({ leftOut: ['account-1'] });
    expect(after.logged()).toContain('Left out account-1 of the snapshot: no setting has this key');
    const statuses = [];
    for (const apiKey of ['old-key', 'kept-key', 'new-key']) {
      statuses.push((await ask({ ...after, apiKey })).status);
    }
    expect(statuses).toEqual([401, 202, 202]);
  });
});

it('a snapshot keeps the digits of numbers', async () => {
  const mock = await startMock({}, { control: true });
  await control(mock, 'PUT /balance', { headers: AS_JSON, body: EXACT });
  await mock.restore(await mock.snapshot());
  expect(await text(mock)).toBe(EXACT);
  const { text: json } = await control(mock, 'GET /snapshot');
  const put = { headers: AS_JSON, body: json };
  expect((await control(mock, 'PUT /snapshot', put)).text).toBe('{"leftOut":[]}');
  expect(await text(mock)).toBe(EXACT);
});

it('a restore that fails begins nothing', async () => {
  const mock = await startMock(FILES);
  const { url, calls } = await startWebhook();
  await mock.freeze();
  const account = await mock.createAccount();
  await pay(account, url);
  await account.advance(1000);
  const before = await mock.snapshot();
  const due = { ...queued({ url }), wait: 0 };
  const broken = { ...before, all: { clock: {}, webhooks: [due], variant: 'none' } };
  await expect(mock.restore(broken)).rejects.toThrow('all.variant');
  await mock.advance(0);
  expect(await mock.snapshot()).toEqual(before);
  expect(calls).toEqual([]);
  await mock.restore({ ...broken, all: { webhooks: [due] } });
  await mock.advance(0);
  expect(calls).toHaveLength(1);
});

describe('a snapshot', () => {
  const MIB = 1_048_576;
  const long = 'x'.repeat(MIB - 20);

  it('that could not be restored is refused where it is taken', async () => {
    const mock = await startMock(FILES, { control: true });
    const accounts = [mock, await mock.createAccount(), await mock.createAccount()];
    const fill = async (account: TestMock | MomoAccount, count: number) => {
      const values = Array.from({ length: count }, (_, index) => [`${index}`, long]);
      await account.state.transaction((draft) => {
        for (const [name = '', value] of values) draft.set(name, value);
      });
    };
    for (const account of accounts) await fill(account, 10);
    const { text: json, status } = await control(mock, 'GET /snapshot');
    const put = { headers: AS_JSON, body: json };
    expect([status, (await control(mock, 'PUT /snapshot', put)).status]).toEqual([200, 200]);
    await fill(mock, 13);
    const refused = await control(mock, 'GET /snapshot');
    expect([refused.status, refused.text]).toEqual([
      413,
      expect.stringContaining('Failed to take the snapshot: it would have more than 32 MiB, the'),
    ]);
    await expect(mock.snapshot()).rejects.toMatchObject({ code: 'MOMO_MOCK_TOO_LARGE' });
    await accounts[1]?.snapshot();
  });

  it('of an account with webhooks is restored where it was taken, and only where there is room', async () => {
    const mock = await startMock();
    await mock.freeze();
    const [one, two, other] = [
      await mock.createAccount(),
      await mock.createAccount(),
      await mock.createAccount(),
    ];
    const webhooks = Array.from({ length: 30 }, () => queued({ body: long }));
    const snapshot = { ...(await one.snapshot()), account: { webhooks } };
    for (const account of [one, two, one]) await account.restore(snapshot);
    expect((await one.snapshot()).account?.webhooks).toHaveLength(30);
    await expect(other.restore(snapshot)).rejects.toThrow('at most 100000 webhooks, with 64 MiB');
    await two.reset();
    await other.restore(snapshot);
  });
});

it('an attempt of a webhook is sent again after a restore, but not for a removed account', async () => {
  const mock = await startMock(FILES, { control: true });
  const { url, calls } = await startWebhook();
  const account = await mock.createAccount();
  const attempt = await account.sendWebhook({ url, body: 'paid' });
  const again = async () => {
    const { status, text } = await control(mock, `POST /webhooks/${attempt.id}/send`);
    return [status, text];
  };
  await account.restore(await account.snapshot());
  await mock.restore(await mock.snapshot());
  expect(await again()).toEqual([200, expect.stringContaining('"attempt":2')]);
  expect(calls.map(({ body }) => body)).toEqual(['paid', 'paid']);
  await account.remove();
  expect(await again()).toEqual([
    404,
    expect.stringContaining('its account account-2 was removed'),
  ]);
});

it('a restored account gets another id where another one had its id', async () => {
  const mock = await startMock();
  const idsOf = async ({ snapshot }: TestMock) =>
    ((await snapshot()).accounts ?? []).map(({ id, key }) => [id, key]);
  const first = await mock.createAccount();
  const snapshot = await mock.snapshot();
  await mock.reset();
  const second = await mock.createAccount();
  await ask(second);
  expect(await idsOf(mock)).toContainEqual(['account-3', second.apiKey]);
  await mock.restore(snapshot);
  expect(await idsOf(mock)).toContainEqual(['account-2', first.apiKey]);
  expect(await first.requests()).toEqual([]);

  const other = await startMock({}, { control: true });
  const removed = await other.createAccount();
  await ask(removed);
  await removed.remove();
  await other.restore(snapshot);
  expect(await idsOf(other)).toContainEqual(['account-3', first.apiKey]);
  await other.restore(snapshot);
  expect(await idsOf(other)).toContainEqual(['account-3', first.apiKey]);
  const found = await control(other, 'GET /requests', { headers: { apikey: first.apiKey } });
  expect(found.json).toMatchObject({ requests: [] });
  expect((await other.createAccount()).id).toBe('account-4');
});

it('a restore keeps the ids of accounts, and a new account gets an unused one', async () => {
  const before = await startMock({}, { apiKeys: ['one'], control: true });
  const kept = await before.createAccount();
  const after = await startMock({}, { apiKeys: ['one', 'two', 'three'], control: true });
  await after.restore(await before.snapshot());
  await after.createAccount();
  const { json } = await control(after, 'GET /accounts');
  const ids = (json as { accounts: { id: string }[] }).accounts.map(({ id }) => id);
  expect(new Set(ids).size).toBe(5);
  expect((await ask({ ...after, apiKey: kept.apiKey })).status).toBe(200);
});
