import { describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { describeBothWays, startMock } from '../support/mock.ts';
import type { ScriptedResponse } from '../support/momo-mock.ts';

const STATUS = 'GET /momo/status/:reference';
const BALANCE = 'GET /momo/balance';
const FILES = {
  'momo/balance.get.http':
    'HTTP/1.1 200 OK\nx-from: file\ncontent-type: application/json\n\n{"a":1}',
  'momo/status/[reference].get.json': { status: 'PENDING' },
  'errors/404.json': { code: 'NOT_FOUND' },
  'errors/503.json': { code: 'DOWN' },
};
const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';

describeBothWays((start) => {
  it('responses are used in order, each as often as configured, then the normal one is', async () => {
    const mock = await start(FILES);
    await mock.respondWith([{ status: 503 }, { status: 429, times: 2 }]);
    await mock.respondWith([{ status: 500 }, { operation: STATUS, status: 202 }]);
    const statuses = [];
    for (let count = 0; count < 5; count++) statuses.push((await ask(mock)).status);
    expect(statuses).toEqual([503, 429, 429, 500, 200]);
    expect((await ask(mock, '/momo/status/1')).status).toBe(202);
    expect((await ask(mock, '/momo/status/1')).json).toEqual({ status: 'PENDING' });
  });

  it('a response that is always used hides those after it, until a reset', async () => {
    const mock = await start(FILES);
    await mock.respondWith([{ status: 503, times: 'always' }, { status: 500 }]);
    for (let count = 0; count < 3; count++) expect((await ask(mock)).status).toBe(503);
    await mock.reset();
    expect((await ask(mock)).status).toBe(200);
  });

  it('a response before the key check needs no key, and is for all accounts', async () => {
    const mock = await start(FILES);
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
    const mock = await start(FILES);
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
    const mock = await start(FILES);
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
    const mock = await start(FILES);
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
    const mock = await start(FILES);
    const [from, to] = [await mock.createAccount(), await mock.createAccount()];
    await from.respondWith({ status: 503 });
    await to.restore(await from.snapshot());
    expect((await ask(to, '/momo/status/1')).status).toBe(503);
  });

  it('at most 10,000 responses are left in a scope', async () => {
    const mock = await start();
    await mock.respondWith(Array<ScriptedResponse>(10_000).fill({}));
    await expect(mock.respondWith({})).rejects.toThrow(
      'Failed to read responses: must be at most 10000 in total, and 10000 are left. Use times to repeat a response.',
    );
    const account = await mock.createAccount();
    await account.respondWith({});
    await ask(mock);
    await mock.respondWith({});
  });
});

it.each<[ScriptedResponse, status: number, text: string, headers: object]>([
  [{}, 200, '{"a":1}', { 'x-from': 'file', 'content-type': 'application/json' }],
  [{ status: 201 }, 201, '{"a":1}', { 'x-from': 'file' }],
  [
    { headers: { 'X-From': 'me', 'set-cookie': ['1', '2'] } },
    200,
    '{"a":1}',
    { 'x-from': 'me', 'set-cookie': ['1', '2'] },
  ],
  [{ body: { n: 1 } }, 200, '{"n":1}', { 'content-type': JSON_TYPE, 'x-from': undefined }],
  [{ body: null }, 200, 'null', { 'content-type': JSON_TYPE }],
  [{ body: '' }, 200, '', { 'content-type': TEXT_TYPE, 'content-length': '0' }],
  [{ body: 'text' }, 200, 'text', { 'content-type': TEXT_TYPE }],
  [
    { body: '<a/>', headers: { 'Content-Type': 'text/xml' } },
    200,
    '<a/>',
    { 'content-type': 'text/xml' },
  ],
  [{ status: 404 }, 404, '{"code":"NOT_FOUND"}', { 'x-from': undefined }],
  [{ status: 404, body: 'mine' }, 404, 'mine', { 'content-type': TEXT_TYPE }],
  [{ status: 418 }, 418, '', { 'content-type': undefined, 'content-length': '0' }],
  [{ status: 400, headers: { 'x-a': '1' } }, 400, expect.anything() as never, { 'x-a': '1' }],
  [{ status: 204 }, 204, '', { 'x-from': 'file', 'content-length': undefined }],
  [{ status: 304 }, 304, '', { 'x-from': 'file', 'content-length': undefined }],
  [{ status: 399 }, 399, '{"a":1}', { 'x-from': 'file' }],
  [{ delay: 1, status: 503 }, 503, '{"code":"DOWN"}', { 'content-type': JSON_TYPE }],
])('%j is the normal response but for what it says', async (response, status, text, headers) => {
  const mock = await startMock(FILES);
  await mock.respondWith({ operation: BALANCE, ...response });
  const reply = await ask(mock);
  expect({ ...reply, headers: { ...headers, ...reply.headers } }).toMatchObject({ status, text });
  expect(reply.headers).toMatchObject(
    Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
  );
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) expect(reply.headers).not.toHaveProperty(name);
  }
  expect(await mock.requests()).toMatchObject([{ source: 'script', file: null, status }]);
});

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

  it('shows responses as they were scripted, with what is left, replaces and appends them', async () => {
    const mock = await startControlled();
    const operation = BALANCE;
    const scripted = { status: 503, headers: { 'retry-after': '1' }, delay: 2, times: 2 };
    const put = await control(mock, 'PUT /responses', { body: [scripted, { fault: 'hang' }] });
    const [first, second] = [scripted, { fault: 'hang', times: 1 }];
    expect(put.json).toEqual({ responses: [first, second] });
    await ask(mock);
    const left = { responses: [{ ...first, times: 1 }, second] };
    expect((await control(mock, 'GET /responses')).json).toEqual(left);
    const third = { times: 'always', body: 'x', operation };
    const post = await control(mock, 'POST /responses', { body: third });
    expect(post.json).toEqual({ responses: [...left.responses, third] });
    const replaced = await control(mock, 'PUT /responses', { body: { status: 500 } });
    expect(replaced.json).toEqual({ responses: [{ status: 500, times: 1 }] });
    expect((await control(mock, 'PUT /responses', { body: [] })).json).toEqual({ responses: [] });
  });

  it('removes responses one by one by their position, or all, of one account alone', async () => {
    const mock = await startControlled();
    const headers = { apikey: 'k' };
    const body = [{ status: 500 }, { status: 501 }, { status: 502 }];
    await control(mock, 'PUT /responses', { headers, body });
    expect((await control(mock, 'DELETE /responses/1', { headers })).status).toBe(204);
    for (const position of ['2', '-1', '0x1', 'sekret', '1e0']) {
      const reply = await control(mock, `DELETE /responses/${position}`, { headers });
      expect(reply).toMatchObject({
        status: 404,
        json: { error: { code: 'MOMO_MOCK_RESPONSE_UNKNOWN' } },
      });
      expect(reply.text).not.toContain('sekret');
    }
    expect((await control(mock, 'GET /responses')).json).toEqual({ responses: [] });
    const left = { responses: [{ status: 500 }, { status: 502 }] };
    expect((await control(mock, 'GET /responses', { headers })).json).toMatchObject(left);
    expect((await control(mock, 'DELETE /responses', { headers })).status).toBe(204);
    expect((await ask({ ...mock, apiKey: 'k' })).status).toBe(200);
  });

  it('shows responses without configured keys, and the service sends them with the keys', async () => {
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
    ['a fault', { fault: 'sekret' }, 400, 'MOMO_MOCK_REQUEST_INVALID', 'responses[1].fault: must'],
    ['an operation', { operation: 'GET /sekret' }, 422, 'MOMO_MOCK_OPERATION_UNKNOWN', STATUS],
    [
      'a body',
      { operation: BALANCE, body: { sekret: 1 } },
      422,
      'MOMO_MOCK_BODY_REJECTED',
      'balance.get.schema.json',
    ],
  ])('takes none of a list in which %s is wrong', async (_what, wrong, status, code, named) => {
    const schema = { type: 'object', required: ['a'] };
    const files = { ...FILES, 'momo/balance.get.schema.json': schema };
    const mock = await startMock(files, { control: true });
    await control(mock, 'PUT /responses', { body: { status: 500 } });
    for (const method of ['PUT', 'POST']) {
      const body = [{ status: 501 }, wrong];
      const reply = await control(mock, `${method} /responses`, { body });
      const message = expect.stringContaining(named);
      expect(reply).toMatchObject({ status, json: { error: { code, message } } });
      expect(reply.text).not.toContain('sekret');
    }
    const left = { responses: [{ status: 500 }] };
    expect((await control(mock, 'GET /responses')).json).toMatchObject(left);
  });
});

describe('a body against the schema of its operation', () => {
  const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const GUARDED = {
    ...FILES,
    'momo/balance.get.http': undefined,
    'momo/balance.get.json': { n: 0 },
  };
  const { 'momo/balance.get.http': _, ...files } = GUARDED;

  describeBothWays((start) => {
    it.each<[ScriptedResponse, isRefused: boolean]>([
      [{ body: { n: 'x' } }, true],
      [{ body: 'text' }, true],
      [{ status: 299, body: {} }, true],
      [{ status: 300, body: {} }, false],
      [{ status: 500, body: {} }, false],
      [{ body: { n: 1 } }, false],
      [{ operation: STATUS, body: {} }, false],
    ])('is checked in %j: refused %s', async (response, isRefused) => {
      const mock = await start({ ...files, 'momo/balance.get.schema.json': SCHEMA });
      const scripted = mock.respondWith({ operation: BALANCE, ...response });
      if (!isRefused) return await scripted;
      const code = 'MOMO_MOCK_BODY_REJECTED';
      const message = expect.stringMatching(
        /^Failed to accept the body: .+\. Send a body that satisfies .*balance\.get\.schema\.json\.$/,
      );
      await expect(scripted).rejects.toMatchObject({ code, message });
    });

    it('is checked as a balance, too, and nothing changes where it is refused', async () => {
      const mock = await start({ ...files, 'momo/balance.get.schema.json': SCHEMA });
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
});
