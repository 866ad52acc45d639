import { describe, expect, it } from 'vitest';
import { type Sent, send } from '../support/client.ts';
import { describeBothWays, startMock, type TestMock } from '../support/mock.ts';
import type { MomoKeyIn, RequestReason } from '../support/momo-mock.ts';

const TOKEN = `export default async ({ headers, body }, { issueToken, claims, password }) => {
  const token = await issueToken({ expiresIn: 60, ...body });
  return { body: { access_token: token, seen: { headers: Object.keys(headers), claims, password } } };
};`;
const PAY = `export const token = 'bearer';
export default async ({ headers }, { claims, account, state }) => {
  await state.set('paid', ((await state.get('paid')) ?? 0) + 1);
  return { status: 201, body: { claims, account: account.id, authorization: headers.authorization } };
};`;
const LOOK = `export default (request, { claims, account }) => ({ body: { claims, account: account.id } });`;
const FILES = { 'token.post.js': TOKEN, 'pay.post.js': PAY, 'look.get.js': LOOK };

const basic = (key: string, password = 'secret') => `Basic ${btoa(`${key}:${password}`)}`;
const bearer = (token: string) => `Bearer ${token}`;

/** Two ways of an API: the token stands for the key, or each request has a key besides. */
interface Way {
  readonly keyIn: MomoKeyIn;
  readonly login: (key: string) => Sent['headers'];
  readonly carry: (key: string, token: string) => Sent['headers'];
}
const WAYS: readonly Way[] = [
  {
    keyIn: 'basic,bearer',
    login: (key) => ({ authorization: basic(key) }),
    carry: (_, token) => ({ authorization: bearer(token) }),
  },
  {
    keyIn: 'header:X-Key',
    login: (key) => ({ 'x-key': key, authorization: basic('user') }),
    carry: (key, token) => ({ 'x-key': key, authorization: bearer(token) }),
  },
  {
    keyIn: 'query:a,header:b' as MomoKeyIn,
    login: (key) => ({ b: key }),
    carry: (key, token) => ({ b: key, authorization: bearer(token) }),
  },
];

async function issue(mock: TestMock, headers: Sent['headers'], body?: unknown): Promise<string> {
  const { json } = await send(mock, '/token', { method: 'POST', headers, body });
  return (json as { access_token: string }).access_token;
}

async function pay(mock: TestMock, headers: Sent['headers']) {
  const { status, json } = await send(mock, '/pay', { method: 'POST', headers });
  const entry = (await mock.requests({ operation: 'POST /pay' })).at(-1);
  return { status, json, reason: entry?.reason, account: entry?.account, hint: entry?.hint };
}

describeBothWays((start) => {
  describe.each(WAYS)('a token with the key in $keyIn', ({ keyIn, login, carry }) => {
    const startThere = () => start(FILES, { keyIn, apiKeys: ['first'] });

    it('is 28 letters and digits, and is valid until it expires by the clock of its account', async () => {
      const mock = await startThere();
      const second = await mock.createAccount({ apiKey: 'second' });
      const token = await issue(mock, login('second'));
      expect(token).toMatch(/^[A-Za-z0-9]{28}$/);
      const headers = carry('second', token);
      expect(await pay(mock, headers)).toMatchObject({ status: 201, account: second.id });
      await mock.account().advance(60_000);
      expect((await pay(mock, headers)).status).toBe(201);
      await second.advance(60_000);
      const expired = await pay(mock, headers);
      expect(expired).toMatchObject({ status: 401, reason: 'token-expired' });
      expect(expired.hint).toContain('has expired');
      const { status } = await send(mock, '/look', { headers });
      expect(status).toBe(keyIn === 'basic,bearer' ? 401 : 200);
      expect((await pay(mock, carry('second', await issue(mock, login('second'))))).status).toBe(
        201,
      );
    });

    it('has claims, which a handler sees without the credentials', async () => {
      const mock = await startThere();
      const claims = { user: 'ama', big: 1 };
      const token = await issue(mock, login(mock.apiKey), { claims });
      const body = { claims, account: mock.account().id };
      expect((await pay(mock, carry(mock.apiKey, token))).json).toEqual(body);
      expect((await send(mock, '/look', { headers: carry(mock.apiKey, token) })).json).toEqual(
        body,
      );
      const plain = await issue(mock, login(mock.apiKey));
      expect((await pay(mock, carry(mock.apiKey, plain))).json).toMatchObject({ claims: {} });
      expect((await send(mock, '/look', { headers: login(mock.apiKey) })).json).toEqual({
        account: mock.account().id,
      });
    });

    it.each<[what: string, revoke: (mock: TestMock) => Promise<unknown>]>([
      ['a reset of its account', (mock) => mock.account().reset()],
      ['a reset of all accounts', (mock) => mock.reset()],
    ])('is revoked by %s, also after it expired', async (_what, revoke) => {
      const mock = await startThere();
      const [old, token] = [
        await issue(mock, login(mock.apiKey), { expiresIn: 0.5 }),
        await issue(mock, login(mock.apiKey)),
      ];
      await mock.account().advance(500);
      expect(await pay(mock, carry(mock.apiKey, old))).toMatchObject({ reason: 'token-expired' });
      await revoke(mock);
      for (const revoked of [old, token]) {
        const refused = await pay(mock, carry(mock.apiKey, revoked));
        expect(refused).toMatchObject({ status: 401, reason: 'token-unknown' });
      }
    });

    it('is valid for no other account', async () => {
      const mock = await startThere();
      const second = await mock.createAccount({ apiKey: 'second' });
      const token = await issue(mock, login('second'));
      const { reason, status, account } = await pay(mock, carry(mock.apiKey, token));
      // In a list with bearer, the token says which account it is.
      if (keyIn === 'basic,bearer') expect([status, account]).toEqual([201, second.id]);
      else expect([status, account, reason]).toEqual([401, mock.account().id, 'token-unknown']);
      expect(await mock.account().state.get('paid')).toBe(undefined);
    });
  });

  it.each<[keyIn: MomoKeyIn, reason: RequestReason, headers: Sent['headers']]>([
    ['basic,bearer', 'token-unknown', {}],
    ['basic,bearer', 'token-unknown', { authorization: bearer('unknown') }],
    ['basic,bearer', 'token-unknown', { authorization: bearer('') }],
    ['basic,bearer', 'token-unknown', { authorization: 'Bearer' }],
    ['basic,bearer', 'token-unknown', { authorization: '' }],
    ['basic,bearer', 'token-unknown', { authorization: 'Token x' }],
    ['basic,bearer', 'token-unknown', { authorization: basic('first') }],
    ['basic,bearer', 'token-unknown', { authorization: basic('unknown') }],
    ['basic,bearer', 'token-unknown', { authorization: bearer('first') }],
    ['basic,bearer', 'key-repeated', { authorization: [basic('first'), bearer('x')] as never }],
    ['header:x-key', 'key-missing', {}],
    ['header:x-key', 'key-unknown', { 'x-key': 'unknown', authorization: bearer('x') }],
    ['header:x-key', 'token-unknown', { 'x-key': 'first' }],
    ['header:x-key', 'token-unknown', { 'x-key': 'first', authorization: bearer('x') }],
    ['header:x-key', 'token-unknown', { 'x-key': 'first', authorization: basic('first') }],
    ['bearer', 'token-unknown', { authorization: bearer('first') }],
  ])('an operation that needs a token, with the key in %s, refuses as %s: %j', async (...row) => {
    const [keyIn, reason, headers] = row;
    const mock = await start(FILES, { keyIn, apiKeys: ['first'] });
    await mock.respondWith({ operation: 'POST /pay', status: 418 });
    expect(await pay(mock, headers)).toMatchObject({ status: 401, reason });
    expect(await mock.state.list()).toEqual({});
    // A refused request uses up no scripted response.
    await expect(mock.verifyUsed()).rejects.toThrow('418');
  });

  it('a request with a token counts for the rate limit and the journal of its account', async () => {
    const mock = await start(FILES, { keyIn: 'basic,bearer', apiKeys: ['first'] });
    const second = await mock.createAccount({ apiKey: 'second' });
    const token = await issue(mock, { authorization: basic('second') });
    await second.setRateLimit({ limit: 1, window: 60_000 });
    const headers = { authorization: bearer(token) };
    expect((await pay(mock, headers)).status).toBe(201);
    expect(await pay(mock, headers)).toMatchObject({ status: 429, account: second.id });
    const paid = await second.requests({ operation: 'POST /pay' });
    expect(paid.map(({ status }) => status)).toEqual([201, 429]);
  });

  it('the handler of errors/401 sees the reason, and may choose another status', async () => {
    const mock = await start(
      {
        ...FILES,
        'errors/401.js': `export default ({ reason, path, headers }) => ({
          status: path === '/pay' ? 404 : 400, body: { reason, authorization: headers.authorization } });`,
      },
      { keyIn: 'basic,bearer', apiKeys: ['first'] },
    );
    const refused = await pay(mock, { authorization: bearer('wrong-token') });
    expect(refused).toMatchObject({
      status: 404,
      reason: 'token-unknown',
      json: { reason: 'token-unknown', authorization: '[redacted]' },
    });
  });

  it('the password of Basic is for the handler to check', async () => {
    const mock = await start(FILES, { keyIn: 'basic,bearer', apiKeys: ['first'] });
    const headers = { authorization: basic('first', 'pass:word') };
    const { json } = await send(mock, '/token', { method: 'POST', headers });
    const { seen } = json as { seen: { headers: string[]; password: string } };
    expect(seen.password).toBe('pass:word');
    expect(seen.headers).not.toContain('authorization');
  });
});

describe('issueToken', () => {
  it.each<[options: unknown, says: string]>([
    [{}, 'Failed to read expiresIn: must be a number of seconds above 0, at most 3153600000'],
    [{ expiresIn: 0 }, 'must be a number of seconds above 0'],
    [{ expiresIn: '3600' }, 'must be a number of seconds above 0'],
    [{ expiresIn: 4e9 }, 'must be a number of seconds above 0'],
    [{ expires_in: 1 }, 'expires'],
    [{ expiresIn: 1, claims: 'x'.repeat(4095) }, 'claims: must have at most 4 KiB as JSON'],
  ])('refuses %j', async (options, says) => {
    const mock = await startMock(
      {
        'token.post.js': `export default async ({ body }, { issueToken }) =>
          issueToken(body).then(() => ({}), ({ code, message }) => ({ status: 400, body: { code, message } }));`,
      },
      { apiKeys: ['first'] },
    );
    const { json } = await send(mock, '/token?apikey=first', { method: 'POST', body: options });
    expect(json).toMatchObject({ code: 'MOMO_MOCK_REQUEST_INVALID' });
    expect((json as { message: string }).message).toContain(says);
  });
});
