import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startMomoMock } from 'momo-mock';
import 'momo-mock/jest';
import { Momo } from './momo.js';

let mock;
let account;
const clientOf = ({ apiKey }) => new Momo({ url: mock.url, apiKey, agent: mock.agent });

beforeAll(async () => {
  mock = await startMomoMock();
});
afterAll(() => mock.close());
beforeEach(async () => {
  account = await mock.createAccount();
});
afterEach(() => account.remove());

test('the balance is returned', async () => {
  await account.setBalance({ balance: [{ amount: 500, currency: 'XOF' }] });
  expect(await clientOf(account).balance()).toEqual([{ amount: 500, currency: 'XOF' }]);
  await expect(account).toHaveReceived({ path: '/momo/balance', times: 1 });
});

test('the balance is unavailable while the service is down', async () => {
  await account.respondWith({ status: 503 });
  await expect(clientOf(account).balance()).rejects.toMatchObject({ status: 503 });
});

test('the balance is unavailable when the connection breaks', async () => {
  await account.respondWith({ fault: 'reset' });
  await expect(clientOf(account).balance()).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('the balance is refused for a wrong key', async () => {
  const client = clientOf({ apiKey: 'wrong' });
  await expect(client.balance()).rejects.toMatchObject({ status: 401 });
});
