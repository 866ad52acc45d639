import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { AS_JSON, control } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import type { Webhook } from '../support/momo-mock.ts';
import { refusal } from '../support/refusal.ts';
import { NOTIFY, notify, startHeldWebhook, startWebhook } from '../support/webhook.ts';

it('sendWebhook sends a webhook immediately without a request, and returns its entry', async () => {
  const mock = await startMock();
  const { url, calls } = await startWebhook(202);
  await mock.freeze();
  const sent = await mock.sendWebhook({ url, body: { a: 1 }, delay: 86_400_000 });
  expect(calls).toMatchObject([{ method: 'POST', body: '{"a":1}' }]);
  expect(sent).toMatchObject({ id: 1, account: null, attempt: 1, status: 202, reason: null });
  expect(sent.duration).toEqual(expect.any(Number));
  expect(await mock.webhooks()).toEqual([sent]);
  const account = await mock.createAccount();
  const own = await account.sendWebhook({ url, form: { b: '2' } });
  expect(own.account).toMatch(/^account-/);
  expect(await account.webhooks()).toEqual([own]);
});

it('sendWebhook waits for the end of the first attempt, and retries by the clock of the account', async () => {
  const mock = await startMock();
  const { url, calls } = await startWebhook(500);
  const account = await mock.createAccount();
  await account.freeze();
  const sent = await account.sendWebhook({ url, retry: [5_400_000, 86_400_000] });
  expect(sent).toMatchObject({ attempt: 1, status: 500 });
  expect(calls).toHaveLength(1);
  await mock.advance(0);
  expect(calls).toHaveLength(1);
  await account.advance(5_400_000);
  expect(calls).toHaveLength(2);
  await account.advance('idle');
  expect(await account.webhooks()).toMatchObject([1, 2, 3].map((attempt) => ({ attempt })));
});

it('sendWebhook obeys the script, but its first attempt waits for no delay', async () => {
  const mock = await startMock();
  const { url, calls } = await startWebhook();
  const account = await mock.createAccount();
  await mock.freeze();
  await mock.scriptWebhooks([{ delay: 5000 }, { lose: true }]);
  await account.scriptWebhooks([{ repeat: 2, delay: 5000 }]);
  expect(await account.sendWebhook({ url, body: 'own' })).toMatchObject({ status: 200 });
  expect(await account.sendWebhook({ url, body: 'late' })).toMatchObject({ status: 200 });
  expect(await mock.sendWebhook({ url, body: 'lost' })).toMatchObject({ reason: 'lost' });
  expect(await mock.sendWebhook({ url, body: 'usual' })).toMatchObject({ status: 200 });
  expect(calls.map(({ body }) => body)).toEqual(['own', 'late', 'usual']);
  await mock.advance('idle');
  expect(calls.map(({ body }) => body)).toEqual(['own', 'late', 'usual', 'own']);
});

it.each<[message: string, webhook: unknown]>([
  ['url: must be text, such as http://localhost:3000/webhooks.', {}],
  ['url: must be text, such as http://localhost:3000/webhooks.', { url: '' }],
  ['url: must be text, such as http://localhost:3000/webhooks.', { url: null }],
  ['url: must be at most 8 KiB.', { url: 'x'.repeat(8193) }],
  ['webhook: must be an object with url and optionally method, headers', [{ url: 'x' }]],
])('sendWebhook refuses a wrong webhook: %s', async (message, webhook) => {
  const mock = await startMock();
  await expect(mock.sendWebhook(webhook as Webhook)).rejects.toMatchObject({
    code: 'MOMO_MOCK_REQUEST_INVALID',
    message: expect.stringContaining(refusal(message)),
  });
  expect(await mock.webhooks()).toEqual([]);
});

it('sendWebhook returns an entry if nothing listens', async () => {
  const mock = await startMock();
  expect(await mock.sendWebhook({ url: 'nothing' })).toMatchObject({ reason: 'bad-url' });
});

it('sendWebhook fails with a clear error if a reset cancels it', async () => {
  const mock = await startMock();
  const { url, calls } = await startHeldWebhook();
  const sent = mock.sendWebhook({ url });
  await expect.poll(() => calls.length).toBe(1);
  await mock.reset();
  expect(await sent).toMatchObject({ reason: 'cancelled' });
});

it('POST /webhooks/{id}/send with a change sends another webhook, signed and retried like the first', async () => {
  const mock = await startMock(NOTIFY, { control: true });
  const { url, calls } = await startWebhook(500);
  await mock.freeze();
  const sign = { secret: 'shared', headers: { 'x-mac': '{signature}', 'x-hash': '{secret}' } };
  const headers = { 'content-type': 'application/vnd.shop+json', 'X-Shop': 'one' };
  const first = { url, headers, sign, retry: [1000], body: { n: 1, at: '[redacted]' } };
  await notify(mock, first);
  await mock.advance(0);
  const send = (body: string) => control(mock, 'POST /webhooks/1/send', { body, headers: AS_JSON });
  const text = '{"n":12345678901234567890,"s":1.00}';
  const [, , sent] = [
    await send('{}'),
    await send(`{"body":${text}}`),
    await send(JSON.stringify({ url: `${url}?b`, headers: { 'x-shop': 'two' } })),
  ];
  expect(sent.json).toMatchObject({ account: 'account-1', attempt: 1, status: 500 });
  const mac = (body: string) => createHmac('sha256', 'shared').update(body).digest('hex');
  const given = JSON.stringify(first.body);
  const type = headers['content-type'];
  expect(calls.map(({ target, body, headers }) => [target, body, headers])).toEqual(
    [
      [given, 'one'],
      [given, 'one'],
      [text, 'one'],
      [given, 'two', '?b'],
    ].map(([body = '', shop, query = '']) => [
      `/hook${query}`,
      body,
      expect.objectContaining({
        'x-mac': mac(body),
        'x-hash': 'shared',
        'x-shop': shop,
        'content-type': type,
      }),
    ]),
  );
  const attempts = await mock.webhooks();
  expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 1, 1]);
  expect(new Set(attempts.map(({ webhookId }) => webhookId)).size).toBe(3);
  expect(JSON.stringify(attempts)).not.toContain('"shared"');
  await mock.advance(1000);
  expect(calls).toHaveLength(7);
  await mock.scriptWebhooks([{ lose: true }]);
  expect((await send('{"body":"x"}')).json).toMatchObject({ reason: 'lost', body: 'x' });
  for (const [change, message] of [
    ['{"body":{"n":["[redacted]"]}}', 'Failed to read the webhook: must not contain [redacted]'],
    ['{"headers":{"x-hash":"[redacted]"}}', 'Failed to read the webhook: must not contain'],
    ['{"bdy":1}', 'Unknown field "bdy". Did you mean "body"?'],
    ['{"url":""}', 'Failed to read url'],
    ['{"headers":{"date":"x"}}', 'Failed to read headers'],
  ]) {
    const { status, json } = await send(`${change}`);
    const error = { error: { message: expect.stringContaining(`${message}`) } };
    expect({ status, json }, change).toMatchObject({ status: 400, json: error });
  }
  expect(calls).toHaveLength(7);
});
