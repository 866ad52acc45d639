import { describe, expect, it } from 'vitest';
import { ask, control, type Sent, send } from '../support/client.ts';
import type { Files } from '../support/fixture-folder.ts';
import { gate } from '../support/gate.ts';
import { problemsOf, startMock, type TestMock } from '../support/mock.ts';
import type {
  MomoAccount,
  MomoKeyIn,
  MomoStartOptions,
  RequestReason,
} from '../support/momo-mock.ts';

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

/** Responds with the error of issueToken. */
const REPORT = `export default async ({ body }, { issueToken }) =>
  issueToken(body).then(() => ({}), ({ code, message }) => ({ status: 400, body: { code, message } }));`;

interface Many {
  readonly tokens: readonly string[];
}

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

describe.each(WAYS)('a token with the key in $keyIn', ({ keyIn, login, carry }) => {
  const startThere = () => startMock(FILES, { keyIn, apiKeys: ['first'] });

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
    const ofAccount = { reason: 'token-expired', account: second.id };
    expect(expired).toMatchObject({ status: 401, ...ofAccount });
    await second.verify({ operation: 'POST /pay', reason: 'token-expired', times: 1 });
    expect(expired.hint).toContain('has expired');
    const { status } = await send(mock, '/look', { headers });
    expect(status).toBe(keyIn === 'basic,bearer' ? 401 : 200);
    expect((await pay(mock, carry('second', await issue(mock, login('second'))))).status).toBe(201);
  });

  it('has claims, which a handler sees without the credentials', async () => {
    const mock = await startThere();
    const claims = { user: 'ama', big: 1 };
    const token = await issue(mock, login(mock.apiKey), { claims });
    const body = { claims, account: mock.account().id };
    expect((await pay(mock, carry(mock.apiKey, token))).json).toEqual(body);
    expect((await send(mock, '/look', { headers: carry(mock.apiKey, token) })).json).toEqual(body);
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
  const mock = await startMock(FILES, { keyIn, apiKeys: ['first'] });
  await mock.respondWith({ operation: 'POST /pay', status: 418 });
  expect(await pay(mock, headers)).toMatchObject({ status: 401, reason });
  expect(await mock.state.list()).toEqual({});
  // A refused request uses up no scripted response.
  await expect(mock.verifyUsed()).rejects.toThrow('418');
});

it('a request with a token counts for the rate limit and the journal of its account', async () => {
  const mock = await startMock(FILES, { keyIn: 'basic,bearer', apiKeys: ['first'] });
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
  const mock = await startMock(
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
  const mock = await startMock(FILES, { keyIn: 'basic,bearer', apiKeys: ['first'] });
  const headers = { authorization: basic('first', 'pass:word') };
  const { json } = await send(mock, '/token', { method: 'POST', headers });
  const { seen } = json as { seen: { headers: string[]; password: string } };
  expect(seen.password).toBe('pass:word');
  expect(seen.headers).not.toContain('authorization');
});

describe('a snapshot', () => {
  const options: MomoStartOptions = { keyIn: 'basic,bearer', apiKeys: ['first'] };
  const issueFor = (mock: TestMock, { apiKey }: Pick<MomoAccount, 'apiKey'>) =>
    issue(mock, { authorization: basic(apiKey) }, { claims: { user: 'ama' } });
  const payWith = (mock: TestMock, token: string) => pay(mock, { authorization: bearer(token) });

  it('of the mock brings tokens back, for the rest of their time', async () => {
    const mock = await startMock(FILES, options);
    const account = await mock.createAccount();
    const token = await issueFor(mock, account);
    await account.freeze();
    await account.advance(20_000);
    const snapshot = JSON.parse(JSON.stringify(await mock.snapshot()));
    await mock.reset();
    const later = await issueFor(mock, mock);
    await mock.restore(snapshot);
    expect(await payWith(mock, later)).toMatchObject({ reason: 'token-unknown' });
    expect((await payWith(mock, token)).json).toMatchObject({ claims: { user: 'ama' } });
    await account.advance(39_000);
    expect((await payWith(mock, token)).status).toBe(201);
    await account.advance(1000);
    expect(await payWith(mock, token)).toMatchObject({ reason: 'token-expired' });
  });

  it('of an account brings its tokens back, and revokes none', async () => {
    const mock = await startMock(FILES, options);
    const account = await mock.createAccount();
    const token = await issueFor(mock, account);
    const snapshot = await account.snapshot();
    await account.reset();
    expect((await payWith(mock, token)).status).toBe(401);
    const later = await issueFor(mock, account);
    await account.restore(snapshot);
    for (const one of [token, later]) {
      expect(await payWith(mock, one)).toMatchObject({ status: 201, account: account.id });
    }
  });

  it('that is restored into another account leaves the tokens of both where they are', async () => {
    const mock = await startMock(FILES, options);
    const [account, other] = [await mock.createAccount(), await mock.createAccount()];
    const tokens = [await issueFor(mock, account), await issueFor(mock, other)] as const;
    await account.advance(30_000);
    await other.restore(await account.snapshot());
    // The snapshot moved its clock, but its token keeps the rest of its time.
    await other.advance(31_000);
    expect(await payWith(mock, tokens[0])).toMatchObject({ status: 201, account: account.id });
    expect(await payWith(mock, tokens[1])).toMatchObject({ status: 201, account: other.id });
    await other.reset();
    expect((await payWith(mock, tokens[0])).status).toBe(201);
    expect((await payWith(mock, tokens[1])).status).toBe(401);
  });

  it('that cannot be restored changes no token', async () => {
    const mock = await startMock(FILES, options);
    const token = await issueFor(mock, mock);
    const snapshot = await mock.snapshot();
    const broken = JSON.stringify(snapshot).replace(token, token.toUpperCase().replace(/./, 'é'));
    await expect(mock.restore(JSON.parse(broken))).rejects.toThrow(
      'saved.tokens: Failed to read issued[0].token: must be a token that a mock issued',
    );
    const misfit = { ...snapshot, all: { variant: 'nothing' } };
    await expect(mock.restore(misfit)).rejects.toThrow('all.variant');
    expect((await payWith(mock, token)).status).toBe(201);
  });
});

it('a token of a removed account is unknown, also if a new account has its key', async () => {
  const mock = await startMock(FILES, { keyIn: 'header:x-key', apiKeys: ['first'] });
  const account = await mock.createAccount({ apiKey: 'second' });
  const token = await issue(mock, { 'x-key': 'second' });
  await account.remove();
  await mock.createAccount({ apiKey: 'second' });
  const refused = await pay(mock, { 'x-key': 'second', authorization: bearer(token) });
  expect(refused).toMatchObject({ status: 401, reason: 'token-unknown' });
});

it('a token that is issued after a reset of the mock, to a request before it, is unknown', async () => {
  const mock = await startMock(FILES, { keyIn: 'basic,bearer', apiKeys: ['first'] });
  const [run, release] = [gate(), gate()];
  await mock.handle('POST /late', async (_, { issueToken }) => {
    run.open();
    await release.opened;
    return { body: { access_token: await issueToken({ expiresIn: 60 }) } };
  });
  const late = send(mock, '/late', { method: 'POST', headers: { authorization: basic('first') } });
  await run.opened;
  await mock.reset();
  release.open();
  const { access_token: token } = (await late).json as { access_token: string };
  expect(await pay(mock, { authorization: bearer(token) })).toMatchObject({ status: 401 });
});

it('the list of operations says which need a token', async () => {
  const mock = await startMock(FILES, { control: true });
  const { json } = await control(mock, 'GET /operations');
  const { operations } = json as { operations: { name: string; needsToken?: boolean }[] };
  const needing = operations.filter(({ needsToken }) => needsToken === true);
  expect(needing.map(({ name }) => name)).toEqual(['POST /pay']);
});

describe('issueToken', () => {
  it('of an account remembers the newest 10,000', async () => {
    const mock = await startMock({
      ...FILES,
      'many.post.js': `export default async ({ body }, { issueToken }) => {
        const tokens = [];
        while (tokens.length < 10_001) tokens.push(await issueToken({ expiresIn: 60 }));
        return { body: { tokens } };
      };`,
    });
    const many = async () => (await ask(mock, '/many', { method: 'POST' })).json as Many;
    const { tokens } = await many();
    const look = (token = '') =>
      ask(mock, '/pay', { method: 'POST', headers: { authorization: bearer(token) } });
    for (const token of [tokens[0], tokens[1], tokens[10_000]]) await look(token);
    const reasons = (await mock.requests({ operation: 'POST /pay' })).map(({ reason }) => reason);
    expect(reasons).toEqual(['token-unknown', null, null]);
  });

  it.each<[what: string, files: Files, options: MomoStartOptions, says: string]>([
    [
      'without a valid key',
      { 'token.post.js': `export const open = true;\n${REPORT}` },
      {},
      'Failed to issue the token: the request has no valid key, and a token belongs to the account of a key. Without one, respond with an error.',
    ],
    [
      'if the Bearer token is the key',
      { 'token.post.js': `export const open = true;\n${REPORT}` },
      { keyIn: 'bearer' },
      'Failed to issue the token: the key is in the header of tokens, because MOMO_MOCK_KEY_IN is bearer. Set it to a list such as basic,bearer, or to another place.',
    ],
  ])('refuses %s', async (_what, files, options, says) => {
    const mock = await startMock(files, options);
    const { json } = await send(mock, '/token', { method: 'POST', body: { expiresIn: 1 } });
    expect(json).toEqual({ code: 'MOMO_MOCK_REQUEST_INVALID', message: says });
  });

  it.each<[options: unknown, says: string]>([
    [{}, 'Failed to read expiresIn: must be a number of seconds above 0, at most 3153600000'],
    [{ expiresIn: 0 }, 'must be a number of seconds above 0'],
    [{ expiresIn: '3600' }, 'must be a number of seconds above 0'],
    [{ expiresIn: 4e9 }, 'must be a number of seconds above 0'],
    [{ expires_in: 1 }, 'expires'],
    [{ expiresIn: 1, claims: 'x'.repeat(4095) }, 'claims: must have at most 4 KiB as JSON'],
  ])('refuses %j', async (options, says) => {
    const mock = await startMock({ 'token.post.js': REPORT }, { apiKeys: ['first'] });
    const { json } = await send(mock, '/token?apikey=first', { method: 'POST', body: options });
    expect(json).toMatchObject({ code: 'MOMO_MOCK_REQUEST_INVALID' });
    expect((json as { message: string }).message).toContain(says);
  });
});

it.each<[what: string, files: Record<string, string>, says: string]>([
  [
    'a value that is not bearer',
    { 'pay.post.js': PAY.replace("'bearer'", 'true') },
    "pay.post.js: its export token is not 'bearer'. Write export const token = 'bearer', or remove it.",
  ],
  [
    'open beside it',
    { 'pay.post.js': `export const open = true;\n${PAY}` },
    'pay.post.js: it exports open and token, but a request without a key has no token. Remove one.',
  ],
  [
    'a variant',
    { 'pay.post.json': '{}', 'pay.post.late.js': PAY },
    "pay.post.late.js: only a default file can export token. Export it from the operation's default file, NAME.METHOD.js.",
  ],
])('a startup refuses the export token with %s', async (_what, files, says) => {
  expect(await problemsOf(files)).toEqual([expect.stringContaining(says)]);
});
