import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';

/** Calls back as often as the request says, each time with a body of as many bytes. */
const NOTIFY = `export default ({ body: { url, times, bytes = 0 } }, { callback }) => {
  for (let sent = 0; sent < times; sent++) callback({ url, body: 'x'.repeat(bytes) });
  return { status: 202 };
};`;

it('keeps as many bytes of attempts as the journal may have, the newest', async () => {
  const files = { 'momo/notify.post.js': NOTIFY };
  const mock = await startMock(files, { journalBytes: 100_000 });
  const { url } = await startWebhook();
  const body = { url, times: 10, bytes: 30_000 };
  await ask(mock, '/momo/notify', { method: 'POST', body });
  await expect
    .poll(async () => (await mock.callbacks()).at(-1))
    .toMatchObject({ id: 10, status: 200 });
  const ids = (await mock.callbacks()).map(({ id }) => id);
  expect(ids).toEqual([8, 9, 10]);
});

it('queues 100,000 callbacks that nobody answers, and refuses more', async () => {
  const mock = await startMock({ 'momo/notify.post.js': NOTIFY });
  const { url } = await startWebhook(null);
  const notify = (times: number) =>
    ask(mock, '/momo/notify', { method: 'POST', body: { url, times } });
  expect((await notify(100_000)).status).toBe(202);
  await mock.callbacks({ waitFor: 100, timeout: 0 });
  expect((await notify(1)).status).toBe(500);
  const [, refused] = await mock.requests();
  expect(refused).toMatchObject({ reason: 'handler-failed' });
  await mock.reset();
  expect((await notify(1)).status).toBe(202);
});
