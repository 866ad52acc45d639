import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Sent, send } from '../support/client.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import type { MomoKeyIn, RequestReason } from '../support/momo-mock.ts';

const REFUSED = readFileSync('fixtures/errors/401.json', 'utf8').trimEnd();
const basic = (user: string) => `Basic ${btoa(user)}`;

/** What of a request says its key. */
type Carried = Pick<Sent, 'headers'> & { readonly query?: string };

const query = (text: string): Carried => ({ query: text });
const headers = (fields: Record<string, string | string[]>): Carried => ({ headers: fields });
const authorization = (value: string | string[]) => headers({ authorization: value });

interface Place {
  readonly keyIn: MomoKeyIn;
  readonly carry: (key: string) => Carried;
  /** What the hints say. */
  readonly says: string;
  readonly wrong: readonly [reason: RequestReason, carried: Carried][];
}

const PLACES: readonly Place[] = [
  {
    keyIn: 'query:User-ID',
    carry: (key) => query(`?User-ID=${key}`),
    says: '?User-ID=<key>',
    wrong: [
      ['key-missing', query('?x=first')],
      ['key-empty', query('?User-ID=')],
      ['key-repeated', query('?User-ID=first&User-ID=wrong')],
      ['key-misspelt', query('?user_id=first')],
      ['key-misspelt', query('?apikey=first')],
      ['key-in-header', headers({ 'user-id': 'first' })],
      ['key-in-header', authorization(basic('first:'))],
    ],
  },
  {
    keyIn: 'header:X-Client-Id',
    carry: (key) => headers({ 'x-client-id': key }),
    says: 'X-Client-Id: <key>',
    wrong: [
      ['key-missing', headers({ 'x-client': 'first' })],
      ['key-empty', headers({ 'x-client-id': '' })],
      ['key-repeated', headers({ 'x-client-id': ['first', 'first'] })],
      ['key-misspelt', query('?x-client-id=first')],
      ['key-misspelt', query('?apikey=first')],
      ['key-in-header', headers({ xclientid: 'first' })],
      ['key-in-header', authorization('Bearer first')],
    ],
  },
  {
    keyIn: 'bearer',
    carry: (key) => authorization(`bearer  ${key}`),
    says: 'Authorization: Bearer <key>',
    wrong: [
      ['key-missing', headers({ 'x-client': 'first' })],
      ['key-empty', authorization('Bearer')],
      ['key-empty', authorization('')],
      ['key-repeated', authorization(['Bearer first', 'Bearer first'])],
      ['key-misspelt', query('?apikey=first')],
      ['key-in-header', headers({ 'x-api-key': 'first' })],
      ['key-in-header', authorization('first')],
      ['key-in-header', authorization(basic('first:'))],
    ],
  },
  {
    keyIn: 'basic',
    carry: (key) => authorization(basic(`${key}:any:thing`)),
    says: 'Authorization: Basic, with <key> as the user name',
    wrong: [
      ['key-missing', {}],
      ['key-empty', authorization(basic(':first'))],
      ['key-repeated', authorization([basic('first:'), basic('first:')])],
      ['key-misspelt', query('?apikey=first')],
      ['key-in-header', headers({ 'x-api-key': 'first' })],
      ['key-in-header', authorization('Bearer first')],
      // Without a colon, these are not credentials.
      ['key-in-header', authorization(basic('first'))],
      ['key-in-header', authorization('Basic %')],
    ],
  },
];

async function balance(mock: TestMock, { query: search = '', ...sent }: Carried) {
  return await send(mock, `/momo/balance${search}`, sent);
}

describe.each(PLACES)('a key in $keyIn', ({ keyIn, carry, says, wrong }) => {
  const startThere = async () => await startMock({}, { keyIn, apiKeys: ['first', 'second'] });

  it('selects its account, which no other key does', async () => {
    const mock = await startThere();
    const { apiKey } = await mock.createAccount({ balance: { third: true } });
    expect((await balance(mock, carry(apiKey))).json).toEqual({ third: true });
    expect((await balance(mock, carry('second'))).json).toMatchObject({ success: true });
    expect((await balance(mock, carry('First'))).status).toBe(401);
    const [third, ...others] = (await mock.requests()).map(({ account }) => account);
    expect(third).toMatch(/^account-[34]$/);
    expect(others).toEqual(['account-2', null]);
  });

  it.each<[reason: RequestReason, carried: Carried]>([
    ['key-unknown', carry('kanarienvogel')],
    ...wrong,
  ])('gets a 401 that says how to fix it: %s %j', async (reason, carried) => {
    const mock = await startThere();
    const { status, text } = await balance(mock, carried);
    expect([status, text]).toEqual([401, REFUSED]);
    const [entry] = await mock.requests();
    expect(entry).toMatchObject({ reason, account: null });
    expect(entry?.hint).toContain(reason === 'key-unknown' ? 'No account has this key' : says);
    if (reason !== 'key-repeated') return;
    const shown = JSON.stringify([entry?.query, entry?.headers]);
    expect(shown.match(/\[redacted\]/g)).toHaveLength(2);
    expect(shown).not.toContain(btoa('first:'));
    expect(shown).not.toContain('first');
    const once = await balance(mock, carry('first'));
    expect(once.status).toBe(200);
  });

  it.each(['second', 'kanarienvogel'])('is redacted everywhere: %s', async (key) => {
    const mock = await startThere();
    const { query: search, headers } = carry(key);
    const body = { note: `a ${key} b` };
    const sent = { headers: { ...headers, referer: `https://x/${key}` }, body, method: 'POST' };
    await send(mock, `/momo/balance${search ?? ''}`, sent);
    const [entry] = await mock.requests();
    const text = JSON.stringify(entry);
    expect(text).not.toContain(key);
    expect(text).not.toContain(btoa(`${key}:any:thing`));
    expect(text).toContain('a [redacted] b');
  });

  it('is compared in a verification, whose message does not show it', async () => {
    const mock = await startThere();
    const { query: search = '', headers } = carry('kanarienvogel');
    const expected = { query: Object.fromEntries(new URLSearchParams(search)), headers };
    await mock.verify({ ...(expected as object), times: 0 });
    await send(mock, `/momo/balance?${search}`, { headers: headers ?? {} });
    await mock.verify({ ...(expected as object), times: 1 });
    const refused = mock.verify({ ...(expected as object), times: 0 });
    await expect(refused).rejects.toThrow('[redacted]');
    await expect(refused).rejects.not.toThrow('kanarienvogel');
  });
});

describe('keys in a list of places', () => {
  const LIST = 'query:a,header:X-B,basic';
  const SAYS =
    'Send ?a=<key> in the query, or the header X-B: <key>, or the header Authorization: Basic, with <key> as the user name.';
  const startThere = async () => await startMock({}, { keyIn: LIST, apiKeys: ['first', 'second'] });

  it.each<[what: string, carried: Carried]>([
    ['the query', query('?a=second')],
    ['a header', headers({ 'x-b': 'second' })],
    ['Basic', authorization(basic('second:x'))],
  ])('select their account in %s', async (_what, carried) => {
    const mock = await startThere();
    expect((await balance(mock, carried)).status).toBe(200);
    expect(await mock.requests()).toMatchObject([{ account: 'account-2' }]);
  });

  it.each<[reason: RequestReason, carried: Carried]>([
    ['key-missing', {}],
    ['key-empty', query('?a=')],
    ['key-repeated', { ...query('?a=first'), ...headers({ 'x-b': 'first' }) }],
    ['key-repeated', headers({ 'x-b': 'first', authorization: basic('first:') })],
    ['key-repeated', { ...query('?a=first'), ...headers({ 'x-b': '' }) }],
    ['key-misspelt', query('?A=first')],
    ['key-misspelt', query('?X_B=first')],
    ['key-in-header', headers({ a: 'first' })],
    ['key-in-header', authorization('Bearer first')],
  ])('are refused with a hint that names each place: %s %j', async (reason, carried) => {
    const mock = await startThere();
    expect((await balance(mock, carried)).status).toBe(401);
    const [entry] = await mock.requests();
    expect(entry).toMatchObject({ reason, account: null });
    expect(entry?.hint?.replace('Send one of them once: ', 'Send ')).toContain(SAYS);
  });

  it('are redacted by the name of each place', async () => {
    const mock = await startThere();
    await balance(mock, { ...query('?a=wrong-query'), ...headers({ 'x-b': 'wrong-header' }) });
    expect(JSON.stringify(await mock.requests())).not.toMatch(/wrong-(query|header)/);
  });

  it('a hint for tokens names both places of basic,bearer', async () => {
    const mock = await startMock({}, { keyIn: 'basic,bearer' });
    for (const carried of [{}, query('?apikey=a'), headers({ 'x-api-key': 'a' })]) {
      await balance(mock, carried);
    }
    for (const { hint } of await mock.requests()) {
      expect(hint).toContain(
        'Send the header Authorization: Basic, with <key> as the user name, or the header Authorization: Bearer <token>.',
      );
    }
  });
});

it('every request belongs to the first key if keys have no place', async () => {
  const mock = await startMock({}, { keyIn: 'none', apiKeys: ['first=empty', 'second'] });
  for (const carried of [{}, query('?apikey=second'), authorization('Bearer wrong')]) {
    expect((await balance(mock, carried)).json).toMatchObject({ balance: [] });
  }
  const accounts = (await mock.requests()).map(({ account }) => account);
  expect(accounts).toEqual(['account-1', 'account-1', 'account-1']);
});

it('a removed first account is restored as the hint says if keys have no place', async () => {
  const mock = await startMock({}, { keyIn: 'none', apiKeys: ['first'], control: true });
  const path = `${mock.controlUrl}`;
  await fetch(`${path}/accounts`, { method: 'DELETE', headers: { apikey: 'first' } });
  expect((await balance(mock, {})).status).toBe(401);
  const [entry] = await mock.requests();
  expect(entry).toMatchObject({
    reason: 'key-unknown',
    hint: expect.stringContaining('POST /reset'),
  });
  await fetch(`${path}/reset`, { method: 'POST' });
  expect((await balance(mock, {})).status).toBe(200);
});

it.each([
  ...['', 'query', 'query:', 'query:a=b', 'query:a b', 'header:', 'header:x y', 'header:ä'],
  ...['bearer:x', 'cookie:x', 'apikey'],
  ...['bearer,bearer', 'Basic,basic', 'header:a,header:A', 'query:a,Query:a', 'none,bearer'],
  ...['bearer,', 'basic, bearer', 'header:Authorization,bearer', 'query:a,b'],
])('a start refuses the place %j', async (keyIn) => {
  await expect(startMock({}, { keyIn: keyIn as MomoKeyIn })).rejects.toThrow(
    `Failed to read keyIn: ${JSON.stringify(keyIn)} is not allowed. Use query:NAME, header:NAME, bearer, basic, none, or a list such as basic,bearer.`,
  );
});

it.each<MomoKeyIn>(['Basic' as MomoKeyIn, 'basic,bearer', 'header:x,basic'])(
  'a startup refuses a key that cannot be a user name in %s',
  async (keyIn) => {
    const message = 'Failed to read API key 2: it contains a colon';
    const started = startMock({}, { keyIn, apiKeys: ['a', 'se:kret'] });
    await expect(started).rejects.toThrow(message);
    await expect(started).rejects.not.toThrow('kret');
  },
);
