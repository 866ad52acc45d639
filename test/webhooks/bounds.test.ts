import type { ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';

// It queues 100,000 webhooks, which takes a minute on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** Calls back as often as its request says. */
const MANY = {
  'momo/many.post.js': `export default ({ body: { url, times } }, { webhook }) => {
    for (let n = 0; n < times; n++) webhook({ url: url + n });
    return { status: 202 };
  };`,
};

it('a mock makes 100 attempts at a time, in order, and none of the waiting ones after a reset', async () => {
  const mock = await startMock(MANY);
  const [one, other] = [await mock.createAccount(), await mock.createAccount()];
  const waiting: ServerResponse[] = [];
  const app = await startWebhook((_request, response) => void waiting.push(response));
  const many = (account: typeof one, name: string, times: number) =>
    ask(account, '/momo/many', { method: 'POST', body: { url: `${app.url}?${name}=`, times } });
  await many(one, 'one', 150);
  await expect.poll(() => waiting.length).toBe(100);
  await many(other, 'other', 10);
  expect(await mock.webhooks()).toHaveLength(100);
  waiting[0]?.end();
  await expect.poll(() => mock.webhooks()).toHaveLength(101);
  await other.reset();
  await expect
    .poll(() => {
      for (const response of waiting) response.end();
      return waiting.length;
    })
    .toBe(150);
  for (const response of waiting) response.end();
  const made = await mock.webhooks({ waitFor: 150 });
  expect(made.map(({ url }) => url)).toEqual(
    Array.from({ length: 150 }, (_, n) => `${app.url}?one=${n}`),
  );
});

it('a mock queues 100,000 webhooks, and refuses more until a reset', async () => {
  const mock = await startMock(MANY);
  const { url } = await startWebhook(null);
  const many = async (times: number) =>
    (await ask(mock, '/momo/many', { method: 'POST', body: { url, times } })).status;
  expect(await many(99_999)).toBe(202);
  expect(await many(1)).toBe(202);
  await expect.poll(() => many(1)).toBe(500);
  expect((await mock.requests()).at(-1)).toMatchObject({ reason: 'handler-failed' });
  await mock.reset();
  expect(await many(1)).toBe(202);
});
