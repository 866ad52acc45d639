import { once } from 'node:events';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { preparedMock, startMock, type TestMock } from '../support/mock.ts';
import type { ExpectedRequests, MomoScope, RequestExpectation } from '../support/momo-mock.ts';
import { refusal } from '../support/refusal.ts';

const FILES = {
  'momo/pay.post.js': 'export default () => { throw new Error(); };',
  'momo/text.post.js': 'export default () => {};',
};
const HINT = /^ {2}The handler of the operation failed\./;
const STANDS_FOR =
  '[redacted] and … only stand for what the journal hides. Expect the value itself.';
const MAY_COME = 'If the request may still arrive, set timeout to wait for it.';

/** A request of which a test can expect everything. */
const pay = (mock: TestMock) =>
  ask(mock, '/momo/pay?page=2&tag=m&tag=n', {
    method: 'POST',
    headers: { 'X-Id': '7', accept: '*/*' },
    body: { amount: 100, items: [{ id: 1, x: 2 }, { id: 2 }], note: null, token: 'abc123' },
  });

/** Requests with these statuses, one after the other. */
async function receive(mock: TestMock, ...statuses: number[]): Promise<void> {
  for (const status of statuses) {
    if (status !== 200 && status !== 404) await mock.respondWith({ status });
    await ask(mock, status === 404 ? '/momo/other' : '/momo/balance');
  }
}

/** What is said of requests that are not as expected; `undefined` where they are. */
const problem = (scope: MomoScope, expected: ExpectedRequests): Promise<string | undefined> =>
  scope.verify(expected).then(
    () => undefined,
    ({ name, code, message }) => {
      expect({ name, code }).toEqual({ name: 'MomoMockError', code: 'MOMO_MOCK_NOT_VERIFIED' });
      return message;
    },
  );

describe('an expectation', () => {
  const mock = preparedMock(pay, FILES);

  it.each<[RequestExpectation]>([
    [{}],
    [{ method: 'post' }],
    [{ path: '/momo/pay' }],
    [{ operation: 'POST /momo/pay' }],
    [{ status: 500, reason: 'handler-failed' }],
    [{ query: { page: '2' } }],
    [{ query: { tag: ['m', 'n'], page: '2' } }],
    [{ headers: { 'x-ID': '7' } }],
    [{ body: { amount: 100 } }],
    [{ body: { items: [{ id: 1 }, {}] } }],
    [{ body: { note: null, token: 'abc123' } }],
    [{ body: '"amount":100' }],
    [{ method: 'POST', path: '/momo/pay', status: 500, body: {} }],
  ])('%j matches', async (expectation) => {
    expect(await problem(mock(), expectation)).toBeUndefined();
  });

  it.each<[RequestExpectation, difference: string]>([
    [{ method: 'GET' }, 'method: expected "GET", received "POST"'],
    [{ path: '/momo' }, 'path: expected "/momo", received "/momo/pay"'],
    [
      { operation: 'POST /momo/text' },
      'operation: expected "POST /momo/text", received "POST /momo/pay"',
    ],
    [{ status: 503 }, 'status: expected 503, received 500'],
    [{ reason: 'key-empty' }, 'reason: expected "key-empty", received "handler-failed"'],
    [{ query: { page: '3' } }, 'query.page: expected "3", received "2"'],
    [{ query: { tag: 'm' } }, 'query.tag: expected "m", received ["m","n"]'],
    [{ query: { tag: ['m', 'o'] } }, 'query.tag[1]: expected "o", received "n"'],
    [{ query: { size: '3' } }, 'query.size: expected "3", received nothing'],
    [{ headers: { 'X-Id': '8' } }, 'headers.x-id: expected "8", received "7"'],
    [{ body: { amount: '100' } }, 'body.amount: expected "100", received 100'],
    [{ body: { items: [{ id: 1 }] } }, 'body.items.length: expected 1, received 2'],
    [{ body: { items: [{ id: 1 }, { id: 3 }] } }, 'body.items[1].id: expected 3, received 2'],
    [{ body: { items: {} } }, 'body.items: expected {}, received [{"id":1,"x":2},{"id":2}]'],
    [{ body: { toString: 1 } }, 'body.toString: expected 1, received nothing'],
    [{ body: { amount: { x: 1 } } }, 'body.amount: expected {"x":1}, received 100'],
    [{ body: { note: {} } }, 'body.note: expected {}, received null'],
    [{ body: { token: 'abc124' } }, 'body.token: expected [redacted], received [redacted]'],
    [{ body: { token: ['a', 'b'] } }, 'body.token: expected [redacted], received [redacted]'],
    [{ body: { note: 'abc123' } }, 'body.note: expected [redacted], received [redacted]'],
    [{ query: { apikey: 'abc' } }, 'query.apikey: expected [redacted], received [redacted]'],
    [{ headers: { Token: 'abc' } }, 'headers.token: expected [redacted], received nothing'],
    [{ body: 7 }, 'body: expected 7, received {"amount":100,'],
    [{ body: 'amount=100' }, 'body: expected "amount=100", received "{\\"amount\\":100,'],
  ])('%j does not match, and the message shows the difference', async (expectation, difference) => {
    const lines = (await problem(mock(), expectation))?.split('\n') ?? [];
    expect(lines.slice(1)).toEqual([
      'The closest is request 1, POST /momo/pay 500 handler-failed:',
      expect.stringContaining(`  ${difference}`),
      expect.stringMatching(HINT),
      MAY_COME,
    ]);
  });

  it.each<[expected: ExpectedRequests, place: string]>([
    [{ query: { apikey: '[redacted]' } }, 'query.apikey'],
    [{ headers: { Authorization: 'Bearer [redacted]' } }, 'headers.Authorization'],
    [{ body: { items: [{ id: 'a [redacted]' }] } }, 'body.items[0].id'],
    [{ body: { '[redacted]': 1 } }, 'body'],
    [{ body: 'token=[redacted]' }, 'body'],
    [{ path: '/momo/[redacted]' }, 'path'],
    [{ path: '/momo/…' }, 'path'],
    [[{}, { query: { token: '[redacted]' } }], 'expected[1].query.token'],
    [{ exactly: [{ path: '/…/pay' }] }, 'exactly[0].path'],
  ])('%j is refused, because it is not what came', async (expected, place) => {
    await expect(mock().verify(expected)).rejects.toMatchObject({
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: `Failed to read ${place}: ${STANDS_FOR}`,
    });
  });

  it('that names the key matches, in a list too', async () => {
    const query = { apikey: mock().apiKey };
    await mock().verify({ query, times: 1 });
    await mock().verify({ exactly: [{ query, body: '"token":"abc123"' }] });
    expect(await problem(mock(), { query, times: 0 })).toBe(
      'Failed to verify: expected a request with query {"apikey":"[redacted]"} never, but 1 of 1 request matches: request 1, POST /momo/pay 500 handler-failed.',
    );
  });

  it.each<[expected: unknown, options: object, message: string]>([
    [{ staus: 1 }, {}, 'Unknown field "staus". Did you mean "status"?'],
    [null, {}, 'expected: must be an expectation, a list of requests in order, or {'],
    [5, {}, 'expected: must be an expectation, a list of requests in order, or {'],
    [
      { body: () => {} },
      {},
      'expected: a function cannot be written as JSON. Use objects, lists, strings,',
    ],
    [{ query: { page: 2 } }, {}, 'query'],
    [{ times: -1 }, {}, 'times: must be a whole number from 0 to 1000000, or an object'],
    [{ times: { min: 2, max: 1 } }, {}, 'times.min: must be at most max.'],
    [[{ times: 0 }], {}, 'expected[0].times: must be a whole number from 1 to 1000000.'],
    [{ exactly: 5 }, {}, 'exactly: must be'],
    [{ exactly: [], times: 1 }, {}, 'expected: must be an expectation, a list of'],
    [{}, { timeout: -1 }, 'timeout: must be a whole number from 0 to 600000.'],
    [{}, { wait: 1 }, 'Unknown field "wait". Use only timeout.'],
  ])('%j with %j is refused', async (expected, options, message) => {
    await expect(mock().verify(expected as ExpectedRequests, options)).rejects.toMatchObject({
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: expect.stringContaining(refusal(message)),
    });
  });
});

describe('for requests with the statuses 404, 200, 404, 503 and 200', () => {
  const mock = preparedMock((mock) => receive(mock, 404, 200, 404, 503, 200));
  const [two, four, five] = [
    'request 2, GET /momo/balance 200',
    'request 4, GET /momo/balance 503',
    'request 5, GET /momo/balance 200',
  ];
  const OF_200 = 'a request with status 200';
  const OF_503 = 'a request with status 503';

  it.each<[ExpectedRequests]>([
    [[]],
    [{ status: 200 }],
    [{ status: 200, times: 2 }],
    [{ status: 200, times: {} }],
    [{ status: 200, times: { min: 2 } }],
    [{ status: 200, times: { min: 1, max: 2 } }],
    [{ status: 418, times: 0 }],
    [{ status: 418, times: { max: 0 } }],
    [[{ status: 200 }, { status: 503 }]],
    [[{ status: 200, times: 2 }]],
    [[{ status: 404 }, { path: '/momo/balance', times: 3 }]],
    [{ exactly: [{ times: 5 }] }],
    [{ exactly: [{ status: 404 }, {}, { reason: 'unknown-path' }, { times: 2 }] }],
  ])('%j is verified', async (expected) => {
    expect(await problem(mock(), expected)).toBeUndefined();
  });

  it.each<{ expected: ExpectedRequests; sentence: string; closest?: number }>([
    {
      expected: { status: 418 },
      sentence: 'a request with status 418 at least once, but 0 of 5 requests match',
      closest: 5,
    },
    {
      expected: { status: 200, times: 0 },
      sentence: `${OF_200} never, but 2 of 5 requests match: ${two}; ${five}`,
    },
    {
      expected: { status: 503, times: 2 },
      sentence: `${OF_503} exactly 2 times, but 1 of 5 requests matches: ${four}`,
      closest: 5,
    },
    {
      expected: { status: 200, times: 1 },
      sentence: `${OF_200} exactly once, but 2 of 5 requests match: ${two}; ${five}`,
    },
    {
      expected: { status: 200, times: { max: 1 } },
      sentence: `${OF_200} at most once, but 2 of 5 requests match: ${two}; ${five}`,
    },
    {
      expected: { method: 'GET', path: '/momo/balance', times: { min: 4 } },
      sentence: `GET /momo/balance at least 4 times, but 3 of 5 requests match: ${two}; ${four}; ${five}`,
      closest: 3,
    },
    {
      expected: { path: '/momo/balance', times: { min: 4, max: 6 } },
      sentence: `/momo/balance 4 to 6 times, but 3 of 5 requests match: ${two}; ${four}; ${five}`,
      closest: 3,
    },
    {
      expected: [{ status: 503 }, { status: 404 }],
      sentence: `2 requests in this order, but number 2, a request with status 404, did not arrive after ${four}`,
      closest: 5,
    },
    {
      expected: [{ status: 200, times: 3 }],
      sentence: `3 requests in this order, but number 3, ${OF_200}, did not arrive after ${five}`,
      closest: 4,
    },
    {
      expected: [{ method: 'PUT', path: '/x' }],
      sentence: '1 request in this order, but number 1, PUT /x, did not arrive',
      closest: 5,
    },
    {
      expected: { exactly: [{ times: 3 }] },
      sentence: `exactly 3 requests, but 2 requests more arrived: ${four}; ${five}`,
    },
    {
      expected: { exactly: [{ times: 5 }, { method: 'PUT', path: '/x' }] },
      sentence: 'exactly 6 requests, but number 6, PUT /x, did not arrive',
      closest: 5,
    },
    {
      expected: { exactly: [{ status: 404 }, { status: 503 }] },
      sentence: `exactly 2 requests, but number 2, ${OF_503}, is ${two}`,
      closest: 5,
    },
  ])('$expected is not verified: $sentence', async ({ expected, sentence, closest }) => {
    const [first, second, ...others] = (await problem(mock(), expected))?.split('\n') ?? [];
    expect(first).toBe(`Failed to verify: expected ${sentence}.`);
    expect(second?.match(/^The closest is request (\d)/)?.[1]).toBe(closest && `${closest}`);
    expect(others.at(-1)).toBe(closest && MAY_COME);
  });
});

it('verify counts a preflight only if its method is expected, and a connection without a request only if a reason is', async () => {
  const mock = await startMock({}, { corsOrigin: '*' });
  const preflight = { origin: 'http://a.test', 'access-control-request-method': 'GET' };
  await ask(mock, '/momo/balance', { method: 'OPTIONS', headers: preflight });
  // A client that does not trust the certificate.
  await once(connect({ port: Number(new URL(mock.url).port), host: 'localhost' }), 'error');
  await mock.requests({ waitFor: 2 });
  await mock.verify({ times: 0 });
  await mock.verify({ exactly: [] });
  await mock.verify({ method: 'OPTIONS' });
  await mock.verify({ reason: 'tls-handshake' });
  expect(await problem(mock, { reason: 'tls-handshake', status: 200 })).toContain(
    'The closest is request 2, tls-handshake:',
  );
});

it('verify says how a request in flight differs, and finds text in a body that is not JSON', async () => {
  const mock = await startMock(FILES);
  await mock.respondWith({ operation: 'POST /momo/text', delay: 600_000 });
  ask(mock, '/momo/text', { method: 'POST', body: 'x=1&y=2' }).catch(() => {});
  await mock.verify({ body: 'y=2' }, { timeout: 600_000 });
  const lines = (await problem(mock, { status: 200, body: { x: 1 } }))?.split('\n');
  expect(lines?.slice(1)).toEqual([
    'The closest is request 1, POST /momo/text without a status:',
    '  status: expected 200, received null',
    '  body: expected {"x":1}, received "x=1&y=2"',
    MAY_COME,
  ]);
});

it('verify says that no request came, and what to check', async () => {
  expect(await problem(await startMock(), { status: 200 })).toBe(
    'Failed to verify: expected a request with status 200 at least once, but 0 of 0 requests match.\nNo request arrived. Check that the code under test uses the URL and the key of this mock.',
  );
});

it('verify lists ten of many requests, cuts long values, and counts dropped requests', async () => {
  const mock = await startMock({}, { journalSize: 12 });
  for (let count = 0; count < 13; count++)
    await ask(mock, '/momo/balance', { body: 'x'.repeat(999) });
  const message = await problem(mock, { body: 'y'.repeat(999), times: { min: 13 } });
  expect(message).toContain(`body: expected "${'y'.repeat(199)}…, received "${'x'.repeat(199)}…\n`);
  expect(message).toContain(
    'The journal removed 1 older request to make room. Raise MOMO_MOCK_JOURNAL_SIZE or MOMO_MOCK_JOURNAL_BYTES, or clear the journal first.',
  );
  expect(await problem(mock, { times: 0 })).toMatch(
    /request 11, GET \/momo\/balance 200; 2 more\.$/,
  );
});

it.each<[expected: (secret: string) => RequestExpectation]>([
  [(secret) => ({ path: `/momo/pay/${secret}` })],
  [(secret) => ({ query: { page: secret } })],
  [(secret) => ({ query: { [secret]: '1' } })],
  [(secret) => ({ headers: { 'x-id': `a ${secret}` } })],
  [(secret) => ({ body: { items: [{ id: `a ${secret}` }] } })],
  [(secret) => ({ body: `a ${secret}` })],
])('verify compares a secret wherever it came, and does not show it: %s', async (expected) => {
  const mock = await startMock({ 'momo/pay/[id].post.js': 'export default () => {};' });
  const pay = async (secret: string) => {
    await ask(mock, `/momo/pay/${secret}?page=${secret}&${secret}=1`, {
      method: 'POST',
      headers: { 'x-id': `a ${secret}` },
      body: { items: [{ id: `a ${secret}` }], token: secret },
    });
  };
  await pay('wrong-secret');
  expect(await problem(mock, { ...expected('other-secret'), times: 0 })).toBeUndefined();
  await pay('other-secret');
  await mock.createAccount({ apiKey: 'other-secret' });
  expect(await problem(mock, { ...expected('other-secret'), times: 1 })).toBeUndefined();
  for (const secret of ['wrong-secret', 'other-secret']) {
    expect(await problem(mock, { ...expected(secret), times: 0 })).toMatch(
      /^Failed to verify: expected ((?!-secret).)* never, but 1 of 2 requests matches: request \d, POST \/momo\/pay\/\[redacted\] 200\.$/,
    );
  }
});

describe('scripted responses', () => {
  it('that were used are verified, and so are those for all requests', async () => {
    const mock = await startMock();
    await mock.respondWith([{ status: 503 }, { times: 'always' }]);
    await ask(mock);
    await mock.verifyUsed();
  });

  it('that are unused are listed, up to ten, with their number and without their content', async () => {
    const mock = await startMock();
    const account = await mock.createAccount({ apiKey: 'configured-secret' });
    await account.respondWith([
      { status: 503, times: 3 },
      { delay: 5, body: 'configured-secret' },
    ]);
    await ask(account);
    await (await mock.createAccount()).verifyUsed();
    await expect(account.verifyUsed()).rejects.toMatchObject({
      code: 'MOMO_MOCK_NOT_VERIFIED',
      message:
        'Failed to verify: 2 scripted responses were not used. Send the requests that use them, or script fewer.\n  any operation: 2 of 3 left of {"status":503}\n  GET /momo/balance: 1 of 1 left of {"delay":5}',
    });
    await mock.respondWith(Array(12).fill({ status: 500 }));
    await expect(mock.verifyUsed()).rejects.toThrow(/^Failed to verify: 14 .*\n {2}4 more$/s);
  });

  it('that an account has not used are found by the mock too, with the account', async () => {
    const mock = await startMock();
    const account = await mock.createAccount();
    await account.respondWith({ status: 503 });
    await account.scriptWebhooks([{ lose: true }]);
    await expect(mock.verifyUsed()).rejects.toMatchObject({
      message: `Failed to verify: 1 scripted response and 1 scripted webhook were not used. Send the requests and the webhooks that use them, or script fewer.\n  ${account.id}, any operation: 1 of 1 left of {"status":503}\n  ${account.id}, webhook: {"lose":true}`,
    });
  });

  it('for webhooks that are left are named', async () => {
    const mock = await startMock();
    const account = await mock.createAccount();
    await account.scriptWebhooks([{}, { lose: true }]);
    await (await mock.createAccount()).verifyUsed();
    const left = (words: string, webhooks: string) =>
      `Failed to verify: ${words} not used. Send the webhooks that use ${words.startsWith('1 ') ? 'it' : 'them'}, or script fewer.\n${webhooks}`;
    await expect(account.verifyUsed()).rejects.toMatchObject({
      code: 'MOMO_MOCK_NOT_VERIFIED',
      message: left('2 scripted webhooks were', '  webhook: {}\n  webhook: {"lose":true}'),
    });
    await account.sendWebhook({ url: 'http://localhost:9/' });
    await expect(account.verifyUsed()).rejects.toMatchObject({
      message: left('1 scripted webhook was', '  webhook: {"lose":true}'),
    });
    await account.respondWith({ status: 503 });
    await expect(account.verifyUsed()).rejects.toThrow(
      'Failed to verify: 1 scripted response and 1 scripted webhook were not used. Send the requests and the webhooks that use them, or script fewer.\n  any operation: 1 of 1 left of {"status":503}\n  webhook: {"lose":true}',
    );
  });

  it('for webhooks are used when the response has arrived', async () => {
    const mock = await startMock();
    const account = await mock.createAccount();
    const webhook = { url: 'http://localhost:9/' };
    for (const scripted of [account, mock]) {
      await scripted.scriptWebhooks([{ lose: true }]);
      await account.respondWith({ webhook });
      await ask(account);
      await scripted.verifyUsed();
    }
  });
});

it('POST /verify responds with 200 if all expectations are met, or else with 422 and the three closest requests', async () => {
  const mock = await startMock({}, { control: true });
  await receive(mock, 404, 200, 503, 200, 404);
  const verified = { status: 200, json: { verified: true } };
  const { apiKey } = await mock.createAccount();
  expect(await control(mock, 'POST /verify', { body: { status: 503 } })).toMatchObject(verified);
  const own = { headers: { apikey: apiKey }, body: { times: 0 } };
  expect(await control(mock, 'POST /verify', own)).toMatchObject(verified);
  expect(await control(mock, 'POST /verify/used')).toMatchObject(verified);
  expect(
    await control(mock, 'POST /verify', { body: { path: '/momo/balance', status: 418 } }),
  ).toMatchObject({
    status: 422,
    json: {
      error: {
        code: 'MOMO_MOCK_NOT_VERIFIED',
        message: expect.stringMatching(/^Failed to verify: .*\n {2}status: expected 418, rec/s),
      },
      closest: [{ id: 4, status: 200 }, { id: 3, status: 503 }, { id: 2 }],
    },
  });
  await mock.respondWith({ status: 503 });
  expect(await control(mock, 'POST /verify/used')).toMatchObject({
    status: 422,
    json: { error: { code: 'MOMO_MOCK_NOT_VERIFIED' } },
  });
});
