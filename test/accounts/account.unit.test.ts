import { Value } from 'typebox/value';
import { expect, it } from 'vitest';
import type { Account } from '../../src/mock/account/account.ts';
import { SAVED } from '../../src/mock/account/restore.ts';
import { snapshotOf } from '../../src/mock/account/snapshot.ts';
import { readScripts } from '../../src/mock/responses/read-scripts.ts';
import { startServer } from '../support/mock.ts';

/** They are functions, which no snapshot has. */
const NOT_SAVED = ['handlers'];

/** The fields of an account that are not remembered: its identity, and views of what is. */
const OTHERS = ['id', 'initial', 'lastUsed', 'secrets', 'state', 'prompts', 'requests', 'webhooks'];

/** Loads what TypeBox creates from the form in `SAVED`. It is enough for a plain `Setting`. */
const load = (name: keyof typeof SAVED) => (account: Account) =>
  account.load({ [name]: Value.Create(SAVED[name]) }, { part: (_, act) => act(), readScripts });

/** Changes what an account remembers, where TypeBox cannot create it. */
const CHANGES: Partial<Record<keyof typeof SAVED, (account: Account) => unknown>> = {
  balance: (account) => account.balanceSet.set('{"a":1}'),
  variant: (account) => account.variantSet.set('empty'),
  rateLimit: (account) => account.setRateLimit({ limit: 1, window: 1 }),
  responses: (account) => account.responses.add({ status: 503 }),
  webhookScript: (account) => account.scriptWebhooks([{ lose: true }]),
  state: (account) => account.state.set('a', 1),
  clock: (account) => account.clock.change({ freeze: true, advance: 5 }),
  tokens: (account) => {
    // Otherwise, less of its time is left after the restore.
    account.clock.freeze(true);
    account.tokens.issue(60, '{"a":1}');
  },
  webhooks: (account) =>
    account.webhookQueue.queue(
      { ...{ url: 'nowhere:', method: 'POST', headers: {}, body: Buffer.alloc(0) }, ...WAITS },
      Promise.resolve(),
      false,
    ),
};
const WAITS = { delay: 1000, retry: [], timeout: 1 };

it('every field of an account is reset and saved, or is listed as not remembered', async () => {
  const mock = await startServer();
  const account = mock.mock.account('good');
  const fields = Object.values(account).filter((field) => Object(field) === field);
  const remembered = fields.filter((field) => 'reset' in field && 'save' in field);
  expect(remembered).toHaveLength(Object.keys(SAVED).length + NOT_SAVED.length);
  const names = Object.entries(account).flatMap(([name, field]) =>
    remembered.includes(field) ? [] : [name],
  );
  expect(names.sort()).toEqual(OTHERS.sort());
});

it.each(Object.keys(SAVED) as (keyof typeof SAVED)[])(
  'an account saves, loads and resets its %s',
  async (name) => {
    const mock = await startServer();
    const account = mock.mock.account('good');
    const before = account.save();
    await (CHANGES[name] ?? load(name))(account);
    const saved = account.save();
    expect(saved).not.toEqual(before);
    expect(Object.keys(saved)).toContain(name);
    const snapshot = snapshotOf(mock.mock, account);
    await mock.restore(account, snapshot);
    const restored = mock.mock.account('good');
    expect(restored).not.toBe(account);
    expect(restored.save()).toMatchObject({ [name]: saved[name] });
    restored.reset();
    expect(restored.save()).toEqual(before);
  },
);
