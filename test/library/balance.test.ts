import { expect, it } from 'vitest';
import { describeBothWays } from './both-ways.ts';
import { get, getBalance } from './client.ts';

const SERVICE = { balance: 'of the service' };
const ACCOUNT = { balance: 'of the account' };

describeBothWays((open) => {
  it('answers the shipped balance to a key that is good, and 401 to another', async () => {
    const mock = await open();
    expect((await get({ ...mock, apikey: 'wrong' })).status).toBe(401);
    expect(JSON.parse((await get(mock)).text).success).toBe(true);
  });

  it('sets the balance of all accounts, or of one alone, and takes it back', async () => {
    const mock = await open();
    const account = await mock.createAccount();
    const seen = async () => [await getBalance(mock), await getBalance(account)];
    const [shipped] = await seen();
    await account.setBalance(ACCOUNT);
    expect(await seen()).toEqual([shipped, ACCOUNT]);
    await mock.setBalance(SERVICE);
    expect(await seen()).toEqual([SERVICE, ACCOUNT]);
    await account.setBalance(undefined);
    expect(await seen()).toEqual([SERVICE, SERVICE]);
    await mock.setBalance(undefined);
    expect(await seen()).toEqual([shipped, shipped]);
  });

  it('sets the variant of all accounts, or of one alone, and removes it', async () => {
    const mock = await open();
    const account = await mock.createAccount({ variant: 'single' });
    const seen = async () => [await getBalance(mock), await getBalance(account)];
    const [shipped, single] = await seen();
    await mock.setVariant('empty');
    const [empty, ofAccount] = await seen();
    expect(empty).not.toEqual(shipped);
    expect(ofAccount).toEqual(empty);
    await account.setVariant('single');
    expect(await seen()).toEqual([empty, single]);
    await account.setVariant(undefined);
    await mock.setVariant(undefined);
    expect(await seen()).toEqual([shipped, single]);
  });

  it.each([
    ['has no file', 'sekret', 'MOMO_MOCK_VARIANT_UNKNOWN'],
    ['is no text', 1 as never, 'MOMO_MOCK_REQUEST_INVALID'],
    ['is null', null as never, 'MOMO_MOCK_REQUEST_INVALID'],
  ])('refuses a variant that %s', async (_what, variant, code) => {
    const mock = await open();
    await expect(mock.setVariant(variant)).rejects.toMatchObject({ code });
  });

  it('answers the bytes of the JSON that was set', async () => {
    const mock = await open();
    const body = { b: 1.5, a: 'é\n"', list: [null, true, 1e21, { 2: '', 1: '' }] };
    await mock.setBalance(body);
    const { status, headers, text } = await get(mock);
    expect({ status, type: headers['content-type'] }).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
    });
    expect(text).toBe(JSON.stringify(body));
  });

  it('refuses what the schema does, and changes nothing', async () => {
    const mock = await open();
    await mock.setBalance(SERVICE);
    await expect(mock.setBalance('a text')).rejects.toMatchObject({
      code: 'MOMO_MOCK_BODY_REJECTED',
      message: expect.stringContaining('balance.get.schema.json'),
    });
    expect(await getBalance(mock)).toEqual(SERVICE);
  });

  it('refuses what JSON cannot say', async () => {
    const mock = await open();
    await expect(mock.setBalance(() => 5)).rejects.toMatchObject({
      name: 'MomoMockError',
      code: 'MOMO_MOCK_REQUEST_INVALID',
    });
  });
});
