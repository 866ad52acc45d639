import { expect, it } from 'vitest';
import { times } from '../endurance/scale.ts';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

it('ten thousand accounts are the same after a restore', async () => {
  const most = times(150_000, 10_000);
  const mock = await startMock();
  const accounts = Array.from({ length: most }, (_, index) => ({
    id: `account-${index + 2}`,
    key: `created-${index}`,
    initial: {},
    lastUsed: new Date().toISOString().slice(0, 10),
    saved: { state: [{ name: 'number', json: `${index}` }] },
  }));
  const [configured] = (await mock.snapshot()).accounts ?? [];
  await mock.restore({
    version: 1,
    timers: 0,
    all: {},
    accounts: [...(configured ? [configured] : []), ...accounts],
  });
  const restored = await mock.snapshot();
  // Not the lists, whose difference would fill the screen.
  expect(restored.accounts?.length).toBe(most + 1);
  const changed = restored.accounts?.filter(
    (account, index) =>
      index > 0 && JSON.stringify(account) !== JSON.stringify(accounts[index - 1]),
  );
  expect(changed).toEqual([]);
  expect((await ask({ ...mock, apiKey: `created-${most - 1}` })).status).toBe(200);
  await mock.createAccount();
  expect((await mock.snapshot()).accounts?.at(-1)?.id).toBe(`account-${most + 2}`);
});
