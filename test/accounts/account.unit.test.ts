import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { expect, it } from 'vitest';
import type { Account } from '../../src/mock/account/account.ts';
import { savedForms } from '../../src/mock/account/restore.ts';
import { snapshotOf } from '../../src/mock/account/snapshot.ts';
import type { AttemptRecord } from '../../src/mock/journal/record.ts';
import { readScripts } from '../../src/mock/responses/read-scripts.ts';
import { EarlyWebhooks } from '../../src/mock/webhooks/early-webhooks.ts';
import { prepareWebhook } from '../../src/mock/webhooks/webhook.ts';
import { startServer } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';

/** The fields of an account that are not remembered: its identity, and views of what is. */
const VIEWS = [
  ...['id', 'initial', 'lastUsed', 'secrets', 'state', 'prompts', 'requests', 'webhooks'],
  'remembered',
];

/** Changes what an account remembers, where TypeBox cannot create it from its form. */
const CHANGES: Record<string, (account: Account) => unknown> = {
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
      {
        ...{
          url: 'http://localhost',
          method: 'POST',
          headers: { 'user-agent': 'shop' },
          body: Buffer.alloc(0),
        },
        ...WAITS,
      },
      new EarlyWebhooks({ clock: account.clock, scripts: [] }),
    ),
};
const WAITS = { delay: 1000, retry: [], timeout: 1 };

/** Copies of JSON in each of which one value has another type. */
function brokenCopies(json: unknown): unknown[] {
  if (typeof json !== 'object' || json === null) return [typeof json === 'boolean' ? 'no' : true];
  const inside = Object.entries(json).flatMap(([name, value]) =>
    brokenCopies(value).map((broken) => Object.assign(structuredClone(json), { [name]: broken })),
  );
  return [true, ...inside];
}

it('every field of an account is reset and saved, or is listed as not remembered', async () => {
  const mock = await startServer();
  const account = mock.mock.account('good');
  const remembered: unknown[] = Object.values(account.remembered);
  const names = Object.entries(account).flatMap(([name, field]) =>
    remembered.includes(field) ? [] : [name],
  );
  expect(names.sort()).toEqual(VIEWS.sort());
});

it('an account saves, loads and resets each thing that it remembers', async () => {
  const mock = await startServer();
  for (const [name, form] of Object.entries(savedForms(mock.mock.all))) {
    const account = mock.mock.account('good');
    const before = account.save();
    const load = () =>
      account.remembered[name]?.load(Value.Create(form as unknown as TSchema), {
        part: (_, act) => act(),
        readScripts,
        prepareWebhook,
      });
    await (CHANGES[name] ?? load)(account);
    const saved = account.save();
    expect(saved).not.toEqual(before);
    expect(Object.keys(saved)).toContain(name);
    const snapshot = snapshotOf(mock.mock, account);
    for (const broken of brokenCopies(saved[name])) {
      const wrong = { ...snapshot, account: { [name]: broken } };
      await expect(mock.restore(account, wrong)).rejects.toThrow(`account.${name}`);
    }
    await mock.restore(account, snapshot);
    const restored = mock.mock.account('good');
    expect(restored).not.toBe(account);
    expect(restored.save()).toMatchObject({ [name]: saved[name] });
    await mock.reset(restored);
    expect(mock.mock.account('good').save()).toEqual(before);
  }
});

it('the webhook queue of an account that was reset sends nothing', async () => {
  const server = await startServer();
  const { url, calls } = await startWebhook();
  const account = server.mock.account('good');
  const { webhookQueue: queue } = account;
  const webhook = prepareWebhook({ url });
  const { id = 0 } = (await queue.send(webhook)) ?? {};
  const record = server.mock.journals.webhooks.get(id) as AttemptRecord;
  await server.reset(account);
  expect([await queue.send(webhook), await queue.sendAgain(record)]).toEqual([
    undefined,
    undefined,
  ]);
  expect(await queue.ask(webhook)).toEqual({ status: null, reason: 'cancelled', body: '' });
  expect(calls).toHaveLength(1);
});

it('a webhook that a snapshot brings counts, and its secret is one', async () => {
  const [before, after] = [await startServer(), await startServer()];
  const sign = { secret: 'the-webhook-secret', header: 'x-signature' };
  const webhook = prepareWebhook({ url: 'http://localhost', body: 'paid', delay: 1000, sign });
  const { clock, webhookQueue } = before.mock.account('good');
  webhookQueue.queue(webhook, new EarlyWebhooks({ clock, scripts: [] }));
  const { mock } = after;
  expect(mock.redactor.isSecret(sign.secret)).toBe(false);
  await after.restore(after.all, snapshotOf(before.mock, before.all));
  expect(mock.redactor.isSecret(sign.secret)).toBe(true);
  expect(mock.account('good').webhookQueue.size).toEqual({ count: 1, bytes: 4 });
  expect([mock.sender.pending, mock.sender.pendingBytes]).toEqual([1, 4]);
  await after.reset(after.all);
  expect([mock.sender.pending, mock.sender.pendingBytes]).toEqual([0, 0]);
});

it('a snapshot at the end says how many timers of handlers were pending, and one after a reset does not', async () => {
  const mock = await startServer();
  const timers = () => snapshotOf(mock.mock, mock.mock.all).timers;
  const set = () => mock.mock.account('good').clock.after(60_000, () => {}, { place: () => '' });
  set();
  await mock.reset(mock.mock.account('good'));
  expect(timers()).toBe(0);
  set();
  mock.mock.close();
  expect(timers()).toBe(1);
});
