import { describe, expect, it } from 'vitest';
import { AS_JSON, ask, control } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

const FILES = { 'momo/balance.get.json': { of: 'file' }, 'momo/balance.get.empty.json': [] };

it('a test sets the balance of all accounts or of one, and clears it', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  const seen = async () => [(await ask(mock)).json, (await ask(account)).json];
  const [file, service, own] = [{ of: 'file' }, { of: 'service' }, { of: 'account' }];
  await account.setBalance(own);
  expect(await seen()).toEqual([file, own]);
  await mock.setBalance(service);
  expect(await seen()).toEqual([service, own]);
  await account.clearBalance();
  expect(await seen()).toEqual([service, service]);
  await mock.clearBalance();
  await mock.clearBalance();
  expect(await seen()).toEqual([file, file]);
});

it('null is a balance, and undefined is refused with the name of clearBalance', async () => {
  const mock = await startMock(FILES);
  await mock.setBalance(null);
  expect(await ask(mock)).toMatchObject({ status: 200, text: 'null' });
  await expect(mock.setBalance(undefined)).rejects.toMatchObject({
    code: 'MOMO_MOCK_REQUEST_INVALID',
    message: expect.stringContaining('clearBalance()'),
  });
  expect((await ask(mock)).text).toBe('null');
});

it('the variant of a test is set for all accounts, or for one alone, and taken back', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount({ variant: 'empty' });
  const seen = async () => [(await ask(mock)).json, (await ask(account)).json];
  const [file, empty] = [{ of: 'file' }, []];
  expect(await seen()).toEqual([file, empty]);
  await mock.setVariant('empty');
  expect(await seen()).toEqual([empty, empty]);
  await mock.setVariant(undefined);
  await account.setVariant('empty');
  await account.reset();
  expect(await seen()).toEqual([file, empty]);
});

it.each([
  {
    name: 'without a file',
    variant: 'sekret',
    code: 'MOMO_MOCK_VARIANT_UNKNOWN',
    words: 'Use one of: empty, flat, ',
  },
  {
    name: 'that is not text',
    variant: 1,
    code: 'MOMO_MOCK_REQUEST_INVALID',
    words: 'must be text',
  },
  {
    name: 'that is null',
    variant: null,
    code: 'MOMO_MOCK_REQUEST_INVALID',
    words: 'must be text',
  },
])('a variant $name is refused, and nothing changes', async ({ variant, code, words }) => {
  const mock = await startMock(FILES);
  await mock.setVariant('empty');
  const refused = mock.setVariant(variant as never);
  await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  await expect(refused).rejects.not.toThrow('sekret');
  expect((await ask(mock)).json).toEqual([]);
});

it('a balance is sent as the JSON that was set', async () => {
  const mock = await startMock();
  const body = { b: 1.5, a: 'é\n"', list: [null, true, 1e21, { 2: '', 1: '' }] };
  await mock.setBalance(body);
  const { status, headers, text } = await ask(mock);
  expect([status, headers['content-type'], text]).toEqual([
    200,
    'application/json; charset=utf-8',
    JSON.stringify(body),
  ]);
});

describe('the control API', () => {
  it('keeps the bytes of a balance, and redacts configured keys when it shows them', async () => {
    const mock = await startMock(FILES, { control: true, apiKeys: ['right-key'] });
    const body = ' {"right-key" : 1000.00,\n "é": "\\u00e9 x right-key", "__proto__": {"a":1}}\n';
    const put = await control(mock, 'PUT /balance', { body, headers: AS_JSON });
    expect([put.status, put.text]).toEqual([204, '']);
    expect((await ask(mock)).text).toBe(body);
    const shown = '{"[redacted]":1000.00,"é":"é x [redacted]","__proto__":{"a":1}}';
    expect(await control(mock, 'GET /balance')).toMatchObject({ status: 200, text: shown });
    const other = ' {"right" : 1000.00,\n "é": "\\u00e9"}\n';
    await control(mock, 'PUT /balance', { body: other, headers: AS_JSON });
    expect((await control(mock, 'GET /balance')).text).toBe(other);
    expect((await control(mock, 'GET /balance', { headers: { apikey: 'right-key' } })).status).toBe(
      204,
    );
    expect((await control(mock, 'DELETE /balance')).status).toBe(204);
    expect((await control(mock, 'GET /balance')).status).toBe(204);
  });
});
