import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connectMomoMock } from 'momo-mock';
import { balanceBy } from './balance.js';

const { MOMO_MOCK_URL, MOMO_MOCK_CONTROL_URL } = process.env;

for (const [client, balance] of Object.entries(balanceBy)) {
  describe(`the balance with ${client}`, () => {
    let mock;
    let account;
    const target = (apikey) => `${MOMO_MOCK_URL}/momo/balance?apikey=${apiKey}`;
    before(async () => {
      mock = await connectMomoMock(MOMO_MOCK_CONTROL_URL);
      account = await mock.createAccount();
    });
    after(() => mock.close());

    test('is returned', async () => {
      await account.setBalance({ balance: 500 });
      assert.deepEqual(await balance(target(account.apiKey)), { balance: 500 });
      await account.verify({ path: '/momo/balance', times: 1 });
    });

    test('is unavailable while the service is down', async () => {
      await account.respondWith({ status: 503 });
      await assert.rejects(balance(target(account.apiKey)), /503/);
    });

    test('is unavailable when the connection breaks', async () => {
      await account.respondWith({ fault: 'reset' });
      await assert.rejects(balance(target(account.apiKey)));
      assert.equal((await account.requests()).at(-1).fault, 'reset');
    });

    test('is refused for a wrong key', async () => {
      await assert.rejects(balance(target('wrong')), /401/);
    });
  });
}
