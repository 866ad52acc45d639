import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import tls from 'node:tls';
import { startMomoMock } from 'momo-mock';
import { Agent } from 'undici';
import { balanceBy } from './balance.js';

let mock;
before(async () => {
  mock = await startMomoMock();
  await mock.setBalance({ balance: 500 });
});
after(() => mock.close());

const targetOf = ({ url, apikey }) => `${url}/momo/balance?apikey=${apikey}`;

test('axios trusts the mock by its agent', async () => {
  const balance = await balanceBy.axios(targetOf(mock), { httpsAgent: mock.agent });
  assert.deepEqual(balance, { balance: 500 });
});

test('got trusts the mock by its agent', async () => {
  const balance = await balanceBy.got(targetOf(mock), { agent: { https: mock.agent } });
  assert.deepEqual(balance, { balance: 500 });
});

test('undici trusts the mock by its options for connections', async () => {
  const dispatcher = new Agent({ connect: mock.connect });
  assert.deepEqual(await balanceBy.undici(targetOf(mock), { dispatcher }), { balance: 500 });
});

// Needs Node 22.19, 24.5 or newer.
const skip = tls.setDefaultCACertificates === undefined;
test('fetch trusts the mock while the process does', { skip }, async () => {
  const trusted = await startMomoMock({ trustInProcess: true });
  assert.equal((await balanceBy.fetch(targetOf(trusted))).success, true);
  await trusted.close();
});
