import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startMomoMock } from 'momo-mock';
import { Momo } from './momo.js';

// Each test has its own account, so tests can run concurrently.
describe('the balance', { concurrency: true }, () => {
  let mock;
  const clientOf = ({ apiKey }) => new Momo({ url: mock.url, apiKey, agent: mock.agent });
  before(async () => {
    mock = await startMomoMock();
  });
  after(() => mock.close());

  test('is returned', async () => {
    const account = await mock.createAccount({
      balance: { balance: [{ amount: 500, currency: 'XOF' }] },
    });
    assert.deepEqual(await clientOf(account).balance(), [{ amount: 500, currency: 'XOF' }]);
    await account.verify({ path: '/momo/balance', times: 1 });
  });

  test('is unavailable while the service is down', async () => {
    const account = await mock.createAccount();
    await account.respondWith({ status: 503 });
    await assert.rejects(clientOf(account).balance(), { code: 'ERR_NON_2XX_3XX_RESPONSE' });
    await account.verify({ status: 503, times: 1 });
  });

  test('is unavailable when the connection breaks', async () => {
    const account = await mock.createAccount();
    await account.respondWith({ fault: 'reset' });
    await assert.rejects(clientOf(account).balance(), { code: 'ECONNRESET' });
  });

  test('is refused for a wrong key', async () => {
    const client = clientOf({ apiKey: 'wrong' });
    await assert.rejects(client.balance(), /401/);
  });
});
