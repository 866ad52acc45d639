import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { sharedMock } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';

const mock = sharedMock({
  'momo/ask.post.js': `export default async ({ body }, { sendWebhook }) =>
    ({ body: await sendWebhook(body) });`,
});

const sent = async (webhook: object) =>
  (await ask(mock(), '/momo/ask', { method: 'POST', body: webhook })).json;

it('sendWebhook of a handler sends immediately, and returns the response of the application', async () => {
  const app = await startWebhook((_request, response) => response.writeHead(202).end('{"a":1}'));
  await mock().freeze();
  const webhook = { url: app.url, body: { reference: 'A1' }, delay: 1000 };
  expect(await sent(webhook)).toEqual({ status: 202, reason: null, body: '{"a":1}' });
  expect(app.calls).toMatchObject([{ body: '{"reference":"A1"}' }]);
  await mock().verifyWebhooks({ url: app.url, status: 202, times: 1 });
});

it('sendWebhook of a handler reads at most 16 KiB of an endless response', async () => {
  const app = await startWebhook((_request, response) => {
    const write = (): void => {
      while (response.write('x'.repeat(10_000)));
      response.once('drain', write);
    };
    write();
  });
  expect(await sent({ url: app.url })).toEqual({
    status: 200,
    reason: null,
    body: 'x'.repeat(16_384),
  });
});

it('sendWebhook of a handler follows no redirect', async () => {
  const app = await startWebhook((_request, response) =>
    response.writeHead(307, { location: '/other' }).end('moved'),
  );
  expect(await sent({ url: app.url })).toEqual({ status: 307, reason: null, body: 'moved' });
  expect(app.calls).toHaveLength(1);
});

it.each([
  ['a host that is not allowed', 'http://192.0.2.1/', 'host-not-allowed'],
  ['an empty URL', '', 'bad-url'],
])('sendWebhook of a handler returns why there is no response: %s', async (_what, url, reason) => {
  expect(await sent({ url })).toEqual({ status: null, reason, body: '' });
});

it('sendWebhook of a handler obeys the webhook script', async () => {
  const app = await startWebhook();
  await mock().scriptWebhooks([{ lose: true }]);
  expect(await sent({ url: app.url })).toEqual({ status: null, reason: 'lost', body: '' });
  expect(app.calls).toEqual([]);
});
