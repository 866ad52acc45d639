import { describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import type { ScriptedResponse } from '../support/momo-mock.ts';

const STATUS = 'GET /momo/status/:reference';
const BALANCE = 'GET /momo/balance';
const FILES = {
  'momo/balance.get.http':
    'HTTP/1.1 200 OK\nx-from: file\ncontent-type: application/json\n\n{"a":1}',
  'momo/status/[reference].get.json': { status: 'PENDING' },
  'errors/404.json': { code: 'NOT_FOUND' },
};
const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';

it('scripted responses are used in order, each as often as configured, and then the normal response', async () => {
  const mock = await startMock(FILES);
  await mock.respondWith([{ status: 503 }, { status: 429, times: 2 }]);
  await mock.respondWith([{ status: 500 }, { operation: STATUS, status: 202 }]);
  const statuses = [];
  for (let count = 0; count < 5; count++) statuses.push((await ask(mock)).status);
  expect(statuses).toEqual([503, 429, 429, 500, 200]);
  expect((await ask(mock, '/momo/status/1')).status).toBe(202);
  expect((await ask(mock, '/momo/status/1')).json).toEqual({ status: 'PENDING' });
});

it('a scripted response that is always used hides later ones until a reset', async () => {
  const mock = await startMock(FILES);
  await mock.respondWith([{ status: 503, times: 'always' }, { status: 500 }]);
  for (let count = 0; count < 3; count++) expect((await ask(mock)).status).toBe(503);
  await mock.reset();
  expect((await ask(mock)).status).toBe(200);
});

it('the remaining responses are listed, and removed without a reset', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await mock.respondWith([
    { operation: 'GET /momo/balance', status: 503, times: 3, headers: { 'x-key': mock.apiKey } },
    { operation: STATUS, delay: 5, times: 'always' },
  ]);
  await account.respondWith({ operation: STATUS, fault: 'reset' });
  await ask(mock);
  expect(await mock.responses()).toEqual([
    {
      operation: 'GET /momo/balance',
      status: 503,
      times: 2,
      headers: { 'x-key': '[redacted]' },
    },
    { operation: STATUS, delay: 5, times: 'always' },
  ]);
  expect(await account.responses()).toEqual([{ operation: STATUS, fault: 'reset', times: 1 }]);
  await mock.setBalance({ kept: true });
  await mock.clearResponses();
  expect([await mock.responses(), (await account.responses()).length]).toEqual([[], 1]);
  expect((await ask(mock)).json).toEqual({ kept: true });
  await account.respondWith(await account.responses());
  await account.clearResponses();
  expect(await account.responses()).toEqual([]);
});

it('a response before the key check needs no key, and is for all accounts', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await mock.respondWith({ status: 503, beforeKeyCheck: true });
  const wrong = { ...mock, apiKey: 'wrong' };
  expect([(await ask(wrong)).status, (await ask(wrong)).status]).toEqual([503, 401]);
  const refused = account.respondWith([{}, { beforeKeyCheck: true }]);
  await expect(refused).rejects.toThrow(
    'Failed to read responses[1].beforeKeyCheck: must be false for one account.',
  );
});

it('a response without an operation is for the next request to any operation', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  const statuses = async (...paths: string[]) => {
    const list = [];
    for (const path of paths) list.push((await ask(account, path)).status);
    return list;
  };
  await mock.respondWith({ status: 500 });
  await account.respondWith([{ operation: STATUS, status: 202 }, { status: 503 }]);
  await account.respondWith({ operation: BALANCE, status: 429 });
  expect(await statuses('/momo/balance', '/momo/status/1', '/momo/balance')).toEqual([
    503, 202, 429,
  ]);
  expect(await statuses('/momo/status/1', '/momo/status/1')).toEqual([500, 200]);
});

it('an unknown path, a wrong method and a request over the rate limit use no response', async () => {
  const mock = await startMock(FILES);
  await mock.respondWith([{ status: 503 }, { status: 500, beforeKeyCheck: true }]);
  const nobody = { ...mock, apiKey: 'wrong' };
  expect((await ask(nobody, '/momo/other')).status).toBe(401);
  expect((await ask(nobody, '/momo/status/1')).status).toBe(500);
  expect((await ask(mock, '/momo/other')).status).toBe(404);
  expect((await ask(mock, '/momo/balance', { method: 'DELETE' })).status).toBe(405);
  await mock.setRateLimit({ limit: 1, window: 60_000 });
  expect((await ask(mock, '/momo/status/1')).status).toBe(503);
  await mock.respondWith({ status: 503 });
  expect((await ask(mock, '/momo/status/1')).status).toBe(429);
  await expect(mock.verifyUsed()).rejects.toThrow('any operation: 1 of 1 left of {"status":503}');
});

it('a body with a status below 300 needs an operation if there are several', async () => {
  const mock = await startMock(FILES);
  const code = 'MOMO_MOCK_REQUEST_INVALID';
  const problem = `operation: must be set for a body with a status below 300, because each operation has its own bodies. Use one of: ${BALANCE}, ${STATUS}.`;
  await expect(mock.respondWith({ body: {} })).rejects.toMatchObject({
    code,
    message: `Failed to read ${problem}`,
  });
  await expect(mock.respondWith([{}, { status: 299, body: {} }])).rejects.toMatchObject({
    code,
    message: `Failed to read responses[1].${problem}`,
  });
  await mock.respondWith({ status: 300, body: 'x' });
  expect(await ask(mock, '/momo/status/1')).toMatchObject({ status: 300, text: 'x' });
});

it('a response without an operation is in snapshots', async () => {
  const mock = await startMock(FILES);
  const [from, to] = [await mock.createAccount(), await mock.createAccount()];
  await from.respondWith({ status: 503 });
  await to.restore(await from.snapshot());
  expect((await ask(to, '/momo/status/1')).status).toBe(503);
});

it('an account can have at most 10,000 unused responses', async () => {
  const mock = await startMock();
  await mock.respondWith(Array<ScriptedResponse>(10_000).fill({}));
  await expect(mock.respondWith({})).rejects.toThrow(
    'Failed to read responses: must be at most 10000 in total, and 10000 are left. Use times to repeat a response.',
  );
  const account = await mock.createAccount();
  await account.respondWith({});
  await ask(mock);
  await mock.respondWith({});
});

it.each<{ response: ScriptedResponse; status: number; text: string; headers: object }>([
  {
    response: {},
    status: 200,
    text: '{"a":1}',
    headers: { 'x-from': 'file', 'content-type': 'application/json' },
  },
  { response: { status: 201 }, status: 201, text: '{"a":1}', headers: { 'x-from': 'file' } },
  {
    response: { headers: { 'X-From': 'me', 'set-cookie': ['1', '2'] } },
    status: 200,
    text: '{"a":1}',
    headers: { 'x-from': 'me', 'set-cookie': ['1', '2'] },
  },
  {
    response: { body: { n: 1 } },
    status: 200,
    text: '{"n":1}',
    headers: { 'content-type': JSON_TYPE, 'x-from': undefined },
  },
  { response: { body: null }, status: 200, text: 'null', headers: { 'content-type': JSON_TYPE } },
  {
    response: { body: '' },
    status: 200,
    text: '',
    headers: { 'content-type': TEXT_TYPE, 'content-length': '0' },
  },
  { response: { body: 'text' }, status: 200, text: 'text', headers: { 'content-type': TEXT_TYPE } },
  {
    response: { body: '<a/>', headers: { 'Content-Type': 'text/xml' } },
    status: 200,
    text: '<a/>',
    headers: { 'content-type': 'text/xml' },
  },
  {
    response: { status: 404 },
    status: 404,
    text: '{"code":"NOT_FOUND"}',
    headers: { 'x-from': undefined },
  },
  {
    response: { status: 404, body: 'mine' },
    status: 404,
    text: 'mine',
    headers: { 'content-type': TEXT_TYPE },
  },
  {
    response: { status: 418 },
    status: 418,
    text: '',
    headers: { 'content-type': undefined, 'content-length': '0' },
  },
  {
    response: { status: 204 },
    status: 204,
    text: '',
    headers: { 'x-from': 'file', 'content-length': undefined },
  },
  {
    response: { status: 304 },
    status: 304,
    text: '',
    headers: { 'x-from': 'file', 'content-length': undefined },
  },
  { response: { status: 399 }, status: 399, text: '{"a":1}', headers: { 'x-from': 'file' } },
])(
  'the scripted response $response changes only its own fields of the normal response',
  async ({ response, status, text, headers }) => {
    const mock = await startMock(FILES);
    await mock.respondWith({ operation: BALANCE, ...response });
    const received = await ask(mock);
    expect({ ...received, headers: { ...headers, ...received.headers } }).toMatchObject({
      status,
      text,
    });
    expect(received.headers).toMatchObject(
      Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    );
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined) expect(received.headers).not.toHaveProperty(name);
    }
    expect(await mock.requests()).toMatchObject([{ source: 'script', file: null, status }]);
  },
);

it('a body without an operation is for the only operation, not for one that is added', async () => {
  const mock = await startMock();
  await mock.respondWith({ body: { n: 1 } });
  await mock.handle('POST /momo/pay', () => ({ status: 201 }));
  expect((await ask(mock, '/momo/pay', { method: 'POST' })).status).toBe(201);
  expect((await ask(mock)).json).toEqual({ n: 1 });
  await expect(mock.respondWith({ body: {} })).rejects.toThrow(
    'Use one of: GET /momo/balance, POST',
  );
});

describe('the control API', () => {
  const startControlled = () => startMock(FILES, { control: true, apiKeys: ['k', 'right-one'] });

  it('shows responses as they were scripted, with their remaining uses, and replaces and appends them', async () => {
    const mock = await startControlled();
    const operation = BALANCE;
    const scripted = { status: 503, headers: { 'retry-after': '1' }, delay: 2, times: 2 };
    const put = await control(mock, 'PUT /responses', { body: [scripted, { fault: 'hang' }] });
    const [first, second] = [scripted, { fault: 'hang', times: 1 }];
    const ids = expect.any(Array);
    expect(put.json).toEqual({ responses: [first, second], ids });
    await ask(mock);
    const left = { responses: [{ ...first, times: 1 }, second], ids };
    expect((await control(mock, 'GET /responses')).json).toEqual(left);
    const third = { times: 'always', body: 'x', operation };
    const post = await control(mock, 'POST /responses', { body: third });
    expect(post.json).toEqual({ responses: [...left.responses, third], ids });
    const replaced = await control(mock, 'PUT /responses', { body: { status: 500 } });
    expect(replaced.json).toEqual({ responses: [{ status: 500, times: 1 }], ids });
    const nothing = { responses: [], ids: [] };
    expect((await control(mock, 'PUT /responses', { body: [] })).json).toEqual(nothing);
  });

  it('removes one response by its id, whatever was used meanwhile, or all of one account', async () => {
    const mock = await startControlled();
    const headers = { apikey: 'k' };
    const body = [{ status: 500 }, { status: 501 }, { status: 502 }];
    const { json } = await control(mock, 'PUT /responses', { headers, body });
    const { ids } = json as { ids: number[] };
    expect((await ask({ ...mock, apiKey: 'k' })).status).toBe(500);
    expect((await control(mock, `DELETE /responses/${ids[1]}`, { headers })).status).toBe(204);
    const left = { responses: [{ status: 502 }], ids: [ids[2]] };
    expect((await control(mock, 'GET /responses', { headers })).json).toMatchObject(left);
    for (const id of [ids[0], ids[1], 0, '-1', '0x3', 'sekret', '3e0']) {
      const response = await control(mock, `DELETE /responses/${id}`, { headers });
      expect(response).toMatchObject({
        status: 404,
        json: { error: { code: 'MOMO_MOCK_RESPONSE_UNKNOWN' } },
      });
      expect(response.text).not.toContain('sekret');
    }
    // It belongs to an account, not to all.
    expect((await control(mock, `DELETE /responses/${ids[2]}`)).status).toBe(404);
    await control(mock, 'POST /reset', { headers });
    const { json: renewed } = await control(mock, 'PUT /responses', { headers, body });
    expect(ids).not.toEqual(expect.arrayContaining((renewed as { ids: number[] }).ids));
    expect((await control(mock, 'DELETE /responses', { headers })).status).toBe(204);
    expect((await ask({ ...mock, apiKey: 'k' })).status).toBe(200);
  });

  it('shows responses without configured keys, and clients get them with the keys', async () => {
    const mock = await startControlled();
    const headers = { 'x-Right-One': 'x right-one', other: ['z', 'right%2Done'] };
    const body = { 'right-one': ['RIGHT-ONE', 'k', 'z'] };
    await mock.respondWith([
      { operation: BALANCE, headers, body },
      { operation: BALANCE, body: 'x right-one' },
    ]);
    const { json } = await control(mock, 'GET /responses');
    expect(json).toMatchObject({
      responses: [
        {
          headers: { 'x-[redacted]': 'x [redacted]', other: ['z', '[redacted]'] },
          body: { '[redacted]': ['[redacted]', '[redacted]', 'z'] },
        },
        { body: 'x [redacted]' },
      ],
    });
    expect((await ask(mock)).json).toEqual(body);
    expect((await ask(mock)).text).toBe('x right-one');
  });

  it.each([
    {
      name: 'a fault',
      wrong: { fault: 'sekret' },
      status: 400,
      code: 'MOMO_MOCK_REQUEST_INVALID',
      named: 'responses[1].fault: must',
    },
    {
      name: 'an operation',
      wrong: { operation: 'GET /sekret' },
      status: 422,
      code: 'MOMO_MOCK_OPERATION_UNKNOWN',
      named: STATUS,
    },
    {
      name: 'a body',
      wrong: { operation: BALANCE, body: { sekret: 1 } },
      status: 422,
      code: 'MOMO_MOCK_BODY_REJECTED',
      named: 'balance.get.schema.json',
    },
  ])(
    'accepts no response of a list in which $name is wrong',
    async ({ wrong, status, code, named }) => {
      const schema = { type: 'object', required: ['a'] };
      const files = { ...FILES, 'momo/balance.get.schema.json': schema };
      const mock = await startMock(files, { control: true });
      await control(mock, 'PUT /responses', { body: { status: 500 } });
      for (const method of ['PUT', 'POST']) {
        const body = [{ status: 501 }, wrong];
        const response = await control(mock, `${method} /responses`, { body });
        const message = expect.stringContaining(named);
        expect(response).toMatchObject({ status, json: { error: { code, message } } });
        expect(response.text).not.toContain('sekret');
      }
      const left = { responses: [{ status: 500 }] };
      expect((await control(mock, 'GET /responses')).json).toMatchObject(left);
    },
  );
});

describe('a scripted body', () => {
  const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const { 'momo/balance.get.http': _, ...others } = FILES;
  const files = {
    ...others,
    'momo/balance.get.json': { n: 0 },
    'momo/balance.get.schema.json': SCHEMA,
  };

  it.each<[ScriptedResponse, isRefused: boolean]>([
    [{ body: { n: 'x' } }, true],
    [{ body: 'text' }, true],
    [{ status: 299, body: {} }, true],
    [{ status: 300, body: {} }, false],
    [{ status: 500, body: {} }, false],
    [{ body: { n: 1 } }, false],
    [{ operation: STATUS, body: {} }, false],
  ])(
    'is checked against the schema of its operation in %j: refused %s',
    async (response, isRefused) => {
      const mock = await startMock(files);
      const scripted = mock.respondWith({ operation: BALANCE, ...response });
      if (!isRefused) return await scripted;
      const code = 'MOMO_MOCK_BODY_REJECTED';
      const message = expect.stringMatching(
        /^Failed to accept the body: .+\. Send a body that satisfies .*balance\.get\.schema\.json\.$/,
      );
      await expect(scripted).rejects.toMatchObject({ code, message });
    },
  );

  it('is also checked as a balance, and nothing changes if it is refused', async () => {
    const mock = await startMock(files);
    const code = 'MOMO_MOCK_BODY_REJECTED';
    await mock.setBalance({ n: 1 });
    await expect(mock.setBalance({ n: '1', m: [] })).rejects.toMatchObject({ code });
    const account = mock.createAccount({ apiKey: 'just-given', balance: { 'just-given': 1 } });
    await expect(account).rejects.toMatchObject({ code });
    await expect(account).rejects.not.toThrow('just-given');
    expect((await ask(mock)).json).toEqual({ n: 1 });
    expect((await ask({ ...mock, apiKey: 'just-given' })).status).toBe(401);
  });
});
