import { expect, it } from 'vitest';
import type { ScriptedResponse } from '../../src/mock/scripted-response.ts';
import { describeBothWays } from './both-ways.ts';
import { get, getBalance } from './client.ts';

/** A balance that has so many bytes as JSON. */
const balanceOf = (bytes: number) => ({ x: 'x'.repeat(bytes - '{"x":""}'.length) });
const MIB = 1024 * 1024;

const TOO_LARGE = {
  name: 'MomoMockError',
  code: 'MOMO_MOCK_TOO_LARGE',
  message: expect.stringMatching(/^Failed to read the body: it is longer than 1 MiB\. Send less/),
};

describeBothWays((open) => {
  it('takes a balance of 1 MiB, and none that is longer', async () => {
    const mock = await open();
    const largest = balanceOf(MIB);
    await mock.setBalance(largest);
    await expect(mock.setBalance(balanceOf(MIB + 1))).rejects.toMatchObject(TOO_LARGE);
    expect(await getBalance(mock)).toEqual(largest);
  });

  it('takes an account and responses of 1 MiB a call, and none that are longer', async () => {
    const mock = await open();
    const balance = balanceOf(MIB - '{"balance":}'.length);
    expect(await getBalance(await mock.createAccount({ balance }))).toEqual(balance);
    const longer = { balance: balanceOf(MIB) };
    await expect(mock.createAccount(longer)).rejects.toMatchObject(TOO_LARGE);
    const halves = [1, 2].map(() => ({ body: balanceOf(MIB / 2) }));
    await expect(mock.respondWith(halves)).rejects.toMatchObject(TOO_LARGE);
    expect((await get(mock)).text).toContain('balance');
    for (const half of halves) await mock.respondWith(half);
    expect(await getBalance(mock)).toEqual(balanceOf(MIB / 2));
  });

  it('takes 10,000 responses, and none more', async () => {
    const mock = await open();
    const many = Array<ScriptedResponse>(10_001).fill({ status: 503 });
    const refused = { name: 'MomoMockError', code: 'MOMO_MOCK_REQUEST_INVALID' };
    await expect(mock.respondWith(many)).rejects.toMatchObject({
      ...refused,
      message: 'Failed to read responses: must be a list of at most 10000.',
    });
    expect((await get(mock)).status).toBe(200);
    await mock.respondWith(many.slice(1));
    await expect(mock.respondWith({ status: 500 })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('and 10000 are left'),
    });
    const account = await mock.createAccount();
    await account.respondWith({ status: 500 });
    expect((await get(account)).status).toBe(500);
  });
});
