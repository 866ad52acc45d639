import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startMomoMock } from 'momo-mock';
import { Agent } from 'undici';
import { balanceBy } from './balance.js';

let mock;
before(async () => {
  mock = await startMomoMock();
  await mock.setBalance({ balance: 500 });
});
after(() => mock.close());

const targetOf = ({ url, apikey }) => `${url}/momo/balance?apikey=${apiKey}`;

test('axios trusts the mock through mock.agent', async () => {
  const balance = await balanceBy.axios(targetOf(mock), { httpsAgent: mock.agent });
  assert.deepEqual(balance, { balance: 500 });
});

test('got trusts the mock through mock.agent', async () => {
  const balance = await balanceBy.got(targetOf(mock), { agent: { https: mock.agent } });
  assert.deepEqual(balance, { balance: 500 });
});

test('undici trusts the mock through mock.connect', async () => {
  const dispatcher = new Agent({ connect: mock.connect });
  assert.deepEqual(await balanceBy.undici(targetOf(mock), { dispatcher }), { balance: 500 });
});

test('fetch trusts the mock through mock.trust()', async () => {
  const restore = mock.trust();
  assert.deepEqual(await balanceBy.fetch(targetOf(mock)), { balance: 500 });
  restore();
});

test('fetch reaches the mock at a built-in URL', async () => {
  const restore = mock.redirect('api.example.com');
  const target = targetOf({ ...mock, url: 'https://api.example.com' });
  assert.deepEqual(await balanceBy.fetch(target), { balance: 500 });
  restore();
});
