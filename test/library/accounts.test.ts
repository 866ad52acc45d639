import { expect, it } from 'vitest';
import { describeBothWays } from './both-ways.ts';
import { get, getBalance } from './client.ts';

describeBothWays((open) => {
  it('makes accounts, each with a key of its own and all that a client needs', async () => {
    const mock = await open();
    const [first, second] = [await mock.createAccount(), await mock.createAccount()];
    expect(new Set([mock.apikey, first.apikey, second.apikey]).size).toBe(3);
    expect(first).toMatchObject({ url: mock.url, ca: mock.ca });
    expect((await get(first)).status).toBe(200);
  });

  it('makes an account with a key, a variant, a balance', async () => {
    const mock = await open();
    const named = await mock.createAccount({ apikey: 'momo/test+key=1' });
    expect(named.apikey).toBe('momo/test+key=1');
    expect((await get(named)).status).toBe(200);
    const empty = await mock.createAccount({ variant: 'empty' });
    expect(await getBalance(empty)).toMatchObject({ balance: [] });
    const rich = await mock.createAccount({ balance: { amount: 1e12 } });
    expect(await getBalance(rich)).toEqual({ amount: 1e12 });
    await rich.setBalance(undefined);
    expect(await getBalance(rich)).toEqual(await getBalance(mock));
  });

  it.each<[string, object, string]>([
    ['a key that another has', { apikey: 'taken' }, 'MOMO_MOCK_ACCOUNT_EXISTS'],
    ['a field that there is not', { key: 'secret-one' }, 'MOMO_MOCK_REQUEST_INVALID'],
    ['a balance that JSON cannot say', { balance: () => 1 }, 'MOMO_MOCK_REQUEST_INVALID'],
  ])('refuses %s', async (_what, options, code) => {
    const mock = await open();
    await mock.createAccount({ apikey: 'taken' });
    const refused = mock.createAccount(options);
    await expect(refused).rejects.toMatchObject({ name: 'MomoMockError', code });
    await expect(refused).rejects.not.toMatchObject({
      message: expect.stringMatching(/taken|secret-one/),
    });
  });

  it('removes an account: its key is a wrong one, and its journal stays', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    await get(account);
    await account.remove();
    expect((await get(account)).status).toBe(401);
    expect(await mock.requests()).toMatchObject([{ status: 200 }, { reason: 'key-unknown' }]);
    const gone = { code: 'MOMO_MOCK_ACCOUNT_UNKNOWN' };
    await expect(account.setBalance({})).rejects.toMatchObject(gone);
    await expect(account.respondWith({})).rejects.toMatchObject(gone);
    await expect(account.requests()).rejects.toMatchObject(gone);
    await expect(account.reset()).rejects.toMatchObject(gone);
    await expect(account.remove()).rejects.toMatchObject(gone);
  });

  it('resets an account alone', async () => {
    const mock = await open();
    const [account, other] = [await mock.createAccount(), await mock.createAccount()];
    for (const one of [account, other]) {
      await one.setBalance({});
      await get(one);
      await one.respondWith({ status: 503 });
    }
    await account.reset();
    expect(await account.requests()).toEqual([]);
    expect(await getBalance(account)).toEqual(await getBalance(mock));
    expect(await other.requests()).toHaveLength(1);
    expect((await get(other)).status).toBe(503);
    expect(await getBalance(other)).toEqual({});
  });

  it('resets the whole service: accounts made since are gone, its own key stays good', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    await mock.setBalance({});
    await mock.respondWith({ status: 503, times: 'always' });
    await get(account);
    await mock.setTls('expired');
    await mock.reset();
    expect(await mock.requests()).toEqual([]);
    expect((await get(account)).status).toBe(401);
    expect(await getBalance(mock)).toMatchObject({ success: true });
    expect((await mock.createAccount({ apikey: account.apikey })).apikey).toBe(account.apikey);
  });
});
