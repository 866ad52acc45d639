import { describe, expect, it } from 'vitest';
import { controlApp, refused } from './control-app.ts';

describe('accounts', () => {
  it.each([
    ['no body', {}],
    ['an empty object', { body: {} }],
    ['an empty body of JSON', { headers: { 'content-type': 'application/json' } }],
  ])('are made with %s: a random key that is good', async (_what, options) => {
    const { send, ask } = await controlApp();
    const replies = [await send('POST /accounts', options), await send('POST /accounts', options)];
    const keys = replies.map(({ json }) => (json as { apikey: string }).apikey);
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(ask(key).status).toBe(200);
  });

  it('are made with a key, a variant and a balance', async () => {
    const { send, ask } = await controlApp();
    const made = await send('POST /accounts', { body: { apikey: 'carol-key', variant: 'empty' } });
    expect(made).toMatchObject({ status: 201, json: { apikey: 'carol-key' } });
    expect(ask('carol-key').body).toBe('{"balance":[]}');
    await send('POST /accounts', { body: { apikey: 'dave-key', balance: { balance: 7 } } });
    expect(ask('dave-key').body).toBe('{"balance":7}');
  });

  it.each([
    ['a key that there is', { apikey: 'bob-key' }, 409, 'MOMO_MOCK_ACCOUNT_EXISTS'],
    ['a key with white space', { apikey: 'bob key' }, 400, 'MOMO_MOCK_REQUEST_INVALID'],
    ['a key as a field', { 'bob-key': 1 }, 400, 'MOMO_MOCK_REQUEST_INVALID'],
    ['an unknown variant', { variant: 'bob-key' }, 422, 'MOMO_MOCK_VARIANT_UNKNOWN'],
    ['a wrong balance', { balance: { bob: 1 } }, 422, 'MOMO_MOCK_BODY_REJECTED'],
  ])('are not made with %s', async (_what, body, status, code) => {
    const { send, mock } = await controlApp();
    const reply = await send('POST /accounts', { body });
    expect(reply).toMatchObject(refused(status, code));
    expect(reply.body).not.toContain('bob');
    expect([...mock.accounts.keys]).toEqual(['alice-key', 'bob-key', 'zoë-key']);
  });

  it('are not made for an account: its key would not be that of the new one', async () => {
    const { send } = await controlApp();
    const headers = { apikey: 'alice-key' };
    expect(await send('POST /accounts', { headers })).toMatchObject(
      refused(400, 'MOMO_MOCK_REQUEST_INVALID', expect.stringContaining('in the body')),
    );
  });

  it('are removed one by one, by their key', async () => {
    const { send, ask } = await controlApp();
    const headers = { apikey: 'alice-key' };
    expect(await send('DELETE /accounts', { headers })).toMatchObject({ status: 204, body: '' });
    expect([ask('alice-key').status, ask('bob-key').status]).toEqual([401, 200]);
    expect(await send('DELETE /accounts', { headers })).toMatchObject(
      refused(404, 'MOMO_MOCK_ACCOUNT_UNKNOWN'),
    );
    expect(await send('DELETE /accounts')).toMatchObject(
      refused(400, 'MOMO_MOCK_REQUEST_INVALID', expect.stringContaining('the header apikey')),
    );
    expect(ask('bob-key').status).toBe(200);
  });

  it('are listed by their ids, with their variants', async () => {
    const { send } = await controlApp();
    await send('POST /accounts', { body: { apikey: 'carol-key', variant: 'empty' } });
    await send('PUT /variant', { headers: { apikey: 'bob-key' }, body: { variant: 'empty' } });
    const reply = await send('GET /accounts');
    expect(reply.json).toEqual({
      accounts: [
        { id: 'account-1', variant: null },
        { id: 'account-2', variant: 'empty' },
        { id: 'account-3', variant: null },
        { id: 'account-4', variant: 'empty' },
      ],
    });
  });

  it('are also named by their ids, where the key is not known', async () => {
    const { send, ask, mock } = await controlApp();
    const headers = { account: 'account-2' };
    await send('PUT /balance', { headers, body: { balance: 'bob' } });
    expect(ask('bob-key').body).toBe('{"balance":"bob"}');
    expect(ask('alice-key').body).not.toContain('bob');
    await send('DELETE /accounts', { headers });
    expect([...mock.accounts.keys]).toEqual(['alice-key', 'zoë-key']);
  });

  it.each([
    ['an id of none', 'GET /balance', { account: 'sekret' }, 404, 'MOMO_MOCK_ACCOUNT_UNKNOWN'],
    [
      'an id and a key',
      'GET /balance',
      { account: 'account-1', apikey: 'alice-key' },
      400,
      'MOMO_MOCK_REQUEST_INVALID',
    ],
    [
      'an id where it has no meaning',
      'POST /accounts',
      { account: 'account-1' },
      400,
      'MOMO_MOCK_REQUEST_INVALID',
    ],
  ])('are refused with %s', async (_what, request, headers, status, code) => {
    const { send } = await controlApp();
    const reply = await send(request, { headers });
    expect(reply).toMatchObject(refused(status, code));
    expect(reply.body).not.toMatch(/sekret|alice-key/);
  });

  it('can have keys that are not ASCII, in UTF-8', async () => {
    const { send } = await controlApp();
    const headers = { apikey: Buffer.from('zoë-key').toString('latin1') };
    expect((await send('GET /responses', { headers })).status).toBe(200);
  });
});
