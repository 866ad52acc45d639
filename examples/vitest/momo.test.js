import { test } from 'momo-mock/vitest';
import { describe } from 'vitest';
import { Momo } from './momo.js';

// `momo` is an account for one test, so tests can run concurrently.
describe.concurrent('the balance', () => {
  const clientOf = ({ url, apiKey, ca }) => new Momo({ url, apiKey, connect: { ca } });

  test('is returned', async ({ momo, expect }) => {
    await momo.setBalance({ balance: [{ amount: 500, currency: 'XOF' }] });
    expect(await clientOf(momo).balance()).toEqual([{ amount: 500, currency: 'XOF' }]);
    await expect(momo).toHaveReceived({ path: '/momo/balance', times: 1 });
  });

  test('is unavailable while the service is down', async ({ momo, expect }) => {
    await momo.respondWith({ status: 503 });
    await expect(clientOf(momo).balance()).rejects.toThrow('503');
  });

  test('is unavailable when the connection breaks', async ({ momo, expect }) => {
    await momo.respondWith({ fault: 'reset' });
    await expect(clientOf(momo).balance()).rejects.toThrow('fetch failed');
  });

  test('is refused for a wrong key', async ({ momo, expect }) => {
    const client = clientOf({ ...momo, apiKey: 'wrong' });
    await expect(client.balance()).rejects.toThrow('401');
  });
});
