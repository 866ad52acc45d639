import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JOURNALS } from '../journal/journals.ts';
import { ask, control, send } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import type { RequestExpectation, ResponseFaultType } from '../support/momo-mock.ts';
import { NOTIFY, SLOW, startHeldWebhook } from '../support/webhook.ts';

const NOUNS = { requests: 'request', webhooks: 'webhook' };
const LONG = 600_000;
const FILLER = 'x'.repeat(66_000);
const SECRETS = Object.fromEntries(
  Array.from({ length: 70 }, (_, n) => [`token${n}`, `value-${n}`]),
);

/** Whether a client receives a status. */
const FAULTS: Readonly<Record<ResponseFaultType, boolean>> = {
  reset: false,
  close: false,
  truncate: true,
  malformed: true,
  dribble: true,
  hang: false,
};

describe.each(Object.entries(JOURNALS))('verification of %s', (name, { add, verify }) => {
  const noun = NOUNS[name as keyof typeof NOUNS];

  it.each<[what: string, body: string, expected: unknown]>([
    ['a JSON body of 66 KiB', `{"id":7,"x":"${FILLER}"}`, { id: 7 }],
    ['text after 64 KiB', `${FILLER} id=7`, 'id=7'],
  ])('fails and says why if the journal does not have %s', async (_what, body, expected) => {
    const mock = await startMock(NOTIFY);
    await add(mock, body);
    const line = `The body of 1 ${noun} was cut at 64 KiB.`;
    for (const times of [0, 1, { min: 1 }]) {
      await expect(verify(mock, { body: expected, times }, {})).rejects.toThrow(line);
    }
    // One at most may match.
    await verify(mock, { body: expected, times: { max: 1 } }, {});
    for (const list of [[{ body: expected }], { exactly: [{ body: expected }] }]) {
      await expect(verify(mock, list, {})).rejects.toThrow(line);
    }
    await expect(verify(mock, { body: expected, times: 0 }, { timeout: 1 })).rejects.toThrow(
      /never, but the journal cannot tell\.\n/,
    );
    await verify(mock, { body: expected, method: 'PUT', times: 0 }, {});
  });

  it.each<[what: string, body: string, expected: object]>([
    ['a body with 70 secrets', JSON.stringify({ id: 7, ...SECRETS }), { id: 7, token9: 'value-9' }],
    [
      'a value that is a secret elsewhere in the body',
      '{"reference":"abc-1234","token":"abc-1234"}',
      { reference: 'abc-1234' },
    ],
    ['a name that is a secret elsewhere', '{"abc-1234":5,"token":"abc-1234"}', { 'abc-1234': 5 }],
  ])('compares what the journal does not show: %s', async (_what, body, expected) => {
    const mock = await startMock(NOTIFY);
    await add(mock, body);
    await verify(mock, { body: expected, times: 1 }, {});
    await verify(mock, { body: { ...expected, token9: 'value-8' }, times: 0 }, {});
    await expect(verify(mock, { body: expected, times: 0 }, {})).rejects.toThrow(
      /never, but 1 of 1 \w+ matches/,
    );
  });

  it('fails and says why if the journal dropped some, until it is cleared', async () => {
    const mock = await startMock(NOTIFY, { journalSize: 2 });
    for (let count = 0; count < 3; count++) await add(mock);
    const dropped = `The journal removed 1 older ${noun} to make room.`;
    for (const expected of [
      { body: 'other', times: 0 },
      { times: 2 },
      { times: 3 },
      { exactly: [{}, {}] },
      { exactly: [{}, {}, {}] },
      [{ body: 'other' }],
    ]) {
      await expect(verify(mock, expected, {})).rejects.toThrow(dropped);
    }
    await verify(mock, {}, {});
    await verify(mock, { times: { min: 2, max: 3 } }, {});
    await mock.reset();
    await verify(mock, { times: 0 }, {});
  });

  it('does not depend on dropped entries of other accounts', async () => {
    const mock = await startMock(NOTIFY, { journalSize: 3 });
    const [one, two] = [await mock.createAccount(), await mock.createAccount()];
    for (const account of [one, one, two, two]) await add(account);
    await verify(two, { times: 2 }, {});
    await verify(two, { body: 'other', times: 0 }, {});
    await expect(verify(one, { times: 1 }, {})).rejects.toThrow('The journal removed 1 older');
    await expect(verify(mock, { times: 3 }, {})).rejects.toThrow('The journal removed 1 older');
    await one.reset();
    await verify(one, { times: 0 }, {});
    await verify(mock, { times: 2 }, {});
  });

  it('remembers entries that it saw before the journal dropped them', async () => {
    const mock = await startMock(NOTIFY, { journalSize: 2 });
    const verified = verify(
      mock,
      { exactly: [{ body: 'a' }, { body: 'b' }, { body: 'c' }] },
      { timeout: LONG },
    );
    for (const body of ['a', 'b', 'c']) await add(mock, body);
    await verified;
  });
});

it('verification knows the account of a request that the journal dropped before its key check', async () => {
  const mock = await startMock({}, { journalBytes: 50_000 });
  const account = await mock.createAccount();
  await ask(account, '/momo/balance', { method: 'POST', body: 'x'.repeat(50_000) });
  await expect(account.verify({ times: 0 })).rejects.toThrow('The journal removed 1 older request');
  await account.reset();
  await account.verify({ times: 0 });
});

it('verification compares an unknown path, 1,001 parameters and a header that the journal does not show', async () => {
  const mock = await startMock();
  await ask(mock, `/momo/payments/9f8e7d6c?${'a&'.repeat(1000)}z=1`, {
    headers: { 'x-token': 'abc-1234', 'x-id': 'id abc-1234.' },
  });
  const headers = { 'x-id': 'id abc-1234.', 'x-token': 'abc-1234' };
  await mock.verify({ path: '/momo/payments/9f8e7d6c', query: { z: '1' }, headers, times: 1 });
  expect(await mock.requests({ path: '/momo/payments/9f8e7d6c' })).toHaveLength(1);
  for (const other of [
    { path: '/momo/payments/9f8e7d6d' },
    { query: { z: '2' } },
    { headers: { 'x-id': 'id abc-1235.' } },
  ]) {
    await mock.verify({ ...other, times: 0 });
  }
});

it('verification of bytes that are not UTF-8 knows other texts', async () => {
  const mock = await startMock();
  const body = Buffer.from('{"name":"Andr\xe9","city":"B"}', 'latin1');
  await ask(mock, '/momo/balance', { method: 'POST', body });
  await mock.verify({ body: { name: 'Andre' }, times: 0 });
  await mock.verify({ body: { city: 'Bé' }, times: 0 });
  for (const [name, times] of [
    ['né', 0],
    ['name', 0],
    ['name', 1],
  ] as const) {
    await expect(mock.verify({ body: { [name]: 'André' }, times })).rejects.toThrow(
      'The body of 1 request is not UTF-8.',
    );
  }
});

it('verification does not know the status, reason and fault of a request in flight, and waits for them', async () => {
  const mock = await startMock(SLOW);
  const { url, respond } = await startHeldWebhook();
  const responded = ask(mock, '/momo/slow', { method: 'POST', body: { url } });
  await mock.requests({ waitFor: 1 });
  for (const expected of [
    { status: 500 },
    { status: null },
    { reason: 'handler-failed' },
    { fault: 'reset' },
  ] as const) {
    await expect(mock.verify({ ...expected, times: 0 })).rejects.toThrow(
      '1 request is still in flight. Set timeout to wait for its end.',
    );
  }
  await mock.verify({ status: 500, ended: true, times: 0 });
  const verified = mock.verify({ status: 500, times: 0 }, { timeout: LONG });
  respond();
  await responded;
  await verified;
});

it.each(Object.entries(FAULTS))(
  'verification knows of a request in flight whether the fault %s sends a status: %s',
  async (fault, hasStatus) => {
    const mock = await startMock();
    const script = { fault: fault as ResponseFaultType, delay: LONG };
    await mock.respondWith(script);
    ask(mock).catch(() => {});
    await mock.verify({ fault: script.fault }, { timeout: LONG });
    const verified = mock.verify({ status: 200, times: 0 });
    if (hasStatus) await expect(verified).rejects.toThrow('1 request is still in flight.');
    else await verified;
  },
);

it.each(['requests', 'webhooks'] as const)(
  'a list of %s fails if the journal dropped some of them, unless it is full or its wait is met',
  async (name) => {
    const mock = await startMock(NOTIFY, { journalSize: 2 });
    const { add, find } = JOURNALS[name];
    const account = await mock.createAccount();
    for (let count = 0; count < 3; count++) await add(mock);
    for (const options of [{}, { method: 'PUT' }, { limit: 3 }]) {
      await expect(find(mock, options)).rejects.toMatchObject({
        code: 'MOMO_MOCK_NOT_VERIFIED',
        message: `Failed to list the ${name}: the journal removed 1 older ${name.slice(0, -1)} to make room. Raise MOMO_MOCK_JOURNAL_SIZE or MOMO_MOCK_JOURNAL_BYTES, or set limit to at most ${'method' in options ? 0 : 2} for the newest.`,
      });
    }
    await expect(find(mock, { waitFor: 3, timeout: 1 })).rejects.toMatchObject({
      code: 'MOMO_MOCK_NOT_VERIFIED',
      message: expect.stringMatching(
        /^Failed to wait: expected .* at least 3 times within 1 ms, but 2 of 2 .*\nThe journal removed 1 older /,
      ),
    });
    expect(await find(mock, { limit: 2 })).toHaveLength(2);
    expect(await find(mock, { waitFor: 2 })).toHaveLength(2);
    expect(await find(mock, { since: 1 })).toHaveLength(2);
    expect(await find(account)).toEqual([]);
  },
);

it.each<[expected: object, code: string, message: string]>([
  ...['GET /momo/balanse', 'get /momo/balance', 'GET /Momo/balance'].map(
    (operation): [object, string, string] => [
      { operation },
      'OPERATION_UNKNOWN',
      'the operation: it has no fixture file. Did you mean "GET /momo/balance"?',
    ],
  ),
  ...['{id}', '[reference]', ':id'].flatMap((parameter): [object, string, string][] => [
    [
      { operation: `GET /momo/status/${parameter}` },
      'OPERATION_UNKNOWN',
      'the operation: it has no fixture file. Did you mean "GET /momo/status/:reference"?',
    ],
    [
      { path: `/momo/status/${parameter}` },
      'REQUEST_INVALID',
      'path: no operation has it in this form. Did you mean "/momo/status/:reference"?',
    ],
  ]),
  [
    { operation: 'DELETE /x' },
    'OPERATION_UNKNOWN',
    'Use one of: GET /momo/balance, GET /momo/status',
  ],
  [{ path: 'momo/balance' }, 'REQUEST_INVALID', 'path: must begin with a slash, without a query'],
  [{ path: '/momo/balance?a=1' }, 'REQUEST_INVALID', 'path: must begin with a slash, without'],
  [{ path: 'https://localhost/momo/balance' }, 'REQUEST_INVALID', 'path: must begin with a slash'],
  [{ path: '/momo/{id}' }, 'REQUEST_INVALID', 'path: must begin with a slash, without a query'],
  [{ method: 'GETT' }, 'REQUEST_INVALID', 'method: must be an HTTP method, such as GET.'],
])('verify and requests refuse %j, which nothing can match', async (fields, code, message) => {
  const mock = await startMock({ 'momo/status/[reference].get.json': {} });
  const error = { code: `MOMO_MOCK_${code}`, message: expect.stringContaining(message) };
  await expect(mock.verify({ ...fields, times: 0 })).rejects.toMatchObject(error);
  await expect(mock.requests(fields)).rejects.toMatchObject(error);
  if (code === 'OPERATION_UNKNOWN') {
    await expect(mock.verify([{}, fields])).rejects.toThrow(
      'Failed to find the operation of expected[1]: it has no fixture file.',
    );
  }
});

it('verification refuses an impossible webhook URL, a broken header name and undefined', async () => {
  const mock = await startMock(NOTIFY);
  for (const url of ['localhost:3000/hook', '/hook']) {
    const refused = {
      message: expect.stringContaining('url: must begin with http:// or https://'),
    };
    await expect(mock.verifyWebhooks({ url, times: 0 })).rejects.toMatchObject(refused);
    await expect(mock.webhooks({ url })).rejects.toMatchObject(refused);
  }
  await expect(mock.verify({ headers: { 'x id': '1' }, times: 0 })).rejects.toThrow(
    'Failed to read headers: a name has a character that no header name can have.',
  );
  const nothing: Record<string, undefined> = { status: undefined };
  await expect(mock.verify({ ...nothing, times: 0 } as RequestExpectation)).rejects.toThrow(
    'Failed to read expected: everything matches if status is undefined. Give it a value.',
  );
  await expect(mock.verify({ body: { items: [{ id: undefined }] }, times: 0 })).rejects.toThrow(
    'Failed to read expected: undefined cannot be written as JSON.',
  );
});

it.each<[options: object, place: string]>([
  [{ url: 'http://localhost/?token=[redacted]' }, 'url'],
  [{ path: '/momo/[redacted]' }, 'path'],
  [{ path: '/…/balance' }, 'path'],
])('a filter with what stands for a secret is refused: %j', async (options, place) => {
  const mock = await startMock();
  const find = place === 'path' ? mock.requests : mock.webhooks;
  await expect(find(options)).rejects.toMatchObject({
    code: 'MOMO_MOCK_REQUEST_INVALID',
    message: `Failed to read ${place}: [redacted] and … only stand for what the journal hides. Expect the value itself.`,
  });
});

it('a filter finds what came with a secret', async () => {
  const mock = await startMock(NOTIFY);
  const { apiKey } = await mock.createAccount({ apiKey: 'configured-secret' });
  await ask(mock, `/momo/${apiKey}`);
  expect(await mock.requests({ path: `/momo/${apiKey}` })).toMatchObject([{ path: '/momo/…' }]);
  expect(await mock.requests({ path: '/momo/other-secret' })).toEqual([]);
});

it.each([
  ['http://localhost:1/hook', true],
  ['http://localhost:1/hook#part', true],
  ['http://localhost:1/hook?token=sekret', true],
  ['http://shop:sekret@localhost:1/hook', true],
  ['http://shop:sekret@localhost:1/hook?token=sekret', true],
  ['http://localhost:1/hook?token=other', false],
  ['http://shop:other@localhost:1/hook', false],
  ['http://shop@localhost:1/hook', false],
  ['http://localhost:1/', false],
])(
  'a webhook is found by its URL, with or without query, user and password: %s, %s',
  async (url, isMatch) => {
    const mock = await startMock();
    await mock.sendWebhook({ url: 'http://shop:sekret@localhost:1/hook?token=sekret' });
    expect(await mock.webhooks({ url })).toHaveLength(isMatch ? 1 : 0);
    await mock.verifyWebhooks({ url, times: isMatch ? 1 : 0 });
    const refused = mock.verifyWebhooks({ url, times: isMatch ? 0 : 1 });
    await expect(refused).rejects.toThrow('Failed to verify: expected http://');
    await expect(refused).rejects.not.toThrow('sekret');
  },
);

it('an operation that a reload removed can still be verified while the journal has its requests', async () => {
  const mock = await startMock({ 'momo/old.get.json': {} }, { watch: true });
  await ask(mock, '/momo/old');
  rmSync(join(mock.folder, 'momo/old.get.json'));
  await expect.poll(async () => (await ask(mock, '/momo/old')).status).toBe(404);
  await mock.verify({ operation: 'GET /momo/old' });
  await mock.reset();
  await expect(mock.verify({ operation: 'GET /momo/old', times: 0 })).rejects.toMatchObject({
    code: 'MOMO_MOCK_OPERATION_UNKNOWN',
  });
});

it('GET /requests says how many entries of its account after since the journal dropped', async () => {
  const mock = await startMock({}, { control: true, journalSize: 2 });
  const account = await mock.createAccount();
  for (let count = 0; count < 3; count++) await send(mock, '/momo/balance');
  const dropped = async (query: string, headers = {}) =>
    (await control(mock, `GET /requests${query}`, { headers })).json;
  expect(await dropped('')).toMatchObject({ dropped: 1, total: 2 });
  expect(await dropped('?since=1')).toMatchObject({ dropped: 0, total: 2 });
  expect(await dropped('', { apikey: account.apiKey })).toMatchObject({ dropped: 0, total: 0 });
});
