import { Agent } from 'node:https';
import { expect, it, onTestFinished } from 'vitest';
import type { MomoMock } from '../../src/library/momo-mock.ts';
import { describeBothWays } from './both-ways.ts';
import { get, getBalance, type Known } from './client.ts';

const ACCOUNTS = 50;

/** Lets nobody pass until all are there. */
function barrier(count: number): () => Promise<void> {
  let open = () => {};
  const opened = new Promise<void>((done) => {
    open = done;
  });
  let there = 0;
  return () => {
    there++;
    if (there === count) open();
    return opened;
  };
}

/** Works one account as a test would, by a client that keeps its connection. */
async function work(mock: MomoMock, index: number, meet: () => Promise<void>): Promise<void> {
  const account = await mock.createAccount({ balance: { amount: index } });
  const agent = new Agent({ ca: mock.ca, keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const client: Known = { ...account, agent };
  expect(await getBalance(client)).toEqual({ amount: index });
  await meet();
  const headers = { 'x-account': `${index}` };
  await account.respondWith([
    { status: 503, headers, body: { index } },
    { status: 429, headers, times: 2 },
  ]);
  const scripted = [];
  for (const path of ['1', '2', '3']) {
    const { status, headers } = await get(client, `/momo/balance?index=${index}&try=${path}`);
    scripted.push([status, headers['x-account']]);
  }
  expect(scripted).toEqual([503, 429, 429].map((status) => [status, `${index}`]));
  await account.setBalance({ amount: index, is: 'set' });
  expect(await getBalance(client)).toEqual({ amount: index, is: 'set' });
  const journal = await account.requests();
  expect(journal.map(({ query }) => query.index)).toEqual([
    undefined,
    ...Array(3).fill(`${index}`),
    undefined,
  ]);
  expect(new Set(journal.map((entry) => entry.account)).size).toBe(1);
  if (index % 2 === 0) await account.reset();
}

describeBothWays((open) => {
  it('50 accounts, used by 50 clients at the same time, never see one another', async () => {
    const mock = await open();
    const before = await getBalance(mock);
    const meet = barrier(ACCOUNTS);
    const works = Array.from({ length: ACCOUNTS }, (_none, index) => work(mock, index, meet));
    await Promise.all(works);
    expect(await getBalance(mock)).toEqual(before);
    const rest = await mock.requests();
    expect(rest).toHaveLength((ACCOUNTS / 2) * 5 + 2);
  }, 180_000);
});
