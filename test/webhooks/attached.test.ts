import { once } from 'node:events';
import { get } from 'node:https';
import { expect, it, onTestFinished } from 'vitest';
import { ask, control } from '../support/client.ts';
import { problemsOf, startMock } from '../support/mock.ts';
import type { MomoOperation, ResponseFaultType, ScriptedResponse } from '../support/momo-mock.ts';
import { PROVIDERS } from '../support/providers.ts';
import { refusal } from '../support/refusal.ts';
import { startWebhook } from '../support/webhook.ts';

const bodies = (calls: readonly { readonly body: string }[]) => calls.map(({ body }) => body);

it('an attached webhook is sent after each use of its response, with a signature', async () => {
  const mock = await startMock();
  const { url, calls } = await startWebhook();
  const [, sign, verify] = PROVIDERS[0] as (typeof PROVIDERS)[number];
  await mock.freeze();
  await mock.respondWith({ status: 202, times: 2, webhook: { url, body: { a: 1 }, sign } });
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push((await ask(mock)).status);
  expect(statuses).toEqual([202, 202, 200]);
  expect(calls).toEqual([]);
  await mock.advance(0);
  expect(bodies(calls)).toEqual(['{"a":1}', '{"a":1}']);
  for (const call of calls) verify(call);
  const [request] = await mock.requests();
  expect(await mock.webhooks()).toMatchObject(
    Array(2).fill({ account: request?.account, status: 200, forge: null }),
  );
});

it.each<ResponseFaultType | 'delay'>([
  'reset',
  'close',
  'truncate',
  'malformed',
  'dribble',
  'hang',
  'delay',
])('an attached webhook is sent even if the response is lost by %s', async (fault) => {
  const mock = await startMock();
  const { url, calls } = await startWebhook();
  const broken = fault === 'delay' ? { delay: 3_600_000 } : { fault };
  await mock.respondWith({ ...broken, webhook: { url, body: fault } });
  const request = get(`${mock.url}/momo/balance?apikey=${mock.apiKey}`, { agent: mock.agent });
  onTestFinished(() => void request.destroy());
  request.on('response', (response) => response.resume().on('error', () => {}));
  request.on('error', () => {});
  if (fault === 'delay') {
    // The client leaves before its response.
    await mock.requests({ waitFor: 1 });
    request.destroy();
  }
  expect(await mock.webhooks({ waitFor: 1 })).toMatchObject([{ status: 200 }]);
  expect(bodies(calls)).toEqual([fault]);
  if (fault === 'hang') expect((await mock.requests())[0]?.ended).toBe(false);
});

it('an attached webhook waits for its own delay, by the clock of the account', async () => {
  const mock = await startMock();
  const account = await mock.createAccount();
  const { url, calls } = await startWebhook();
  await mock.freeze();
  const webhook = [
    { url, body: 'day', delay: 86_400_000 },
    { url, body: 'now' },
    { url, body: 'second', delay: 1000 },
  ];
  await account.respondWith({ webhook });
  expect((await ask({ ...mock, apiKey: account.apiKey })).status).toBe(200);
  await account.advance(0);
  expect(bodies(calls)).toEqual(['now']);
  await account.advance(1000);
  expect(bodies(calls)).toEqual(['now', 'second']);
  await account.advance(86_398_999);
  expect(calls).toHaveLength(2);
  await account.advance(1);
  expect(bodies(calls)).toEqual(['now', 'second', 'day']);
});

it('the webhooks of a file, a handler and a script are all sent, unless the script is the response', async () => {
  const { url, calls } = await startWebhook();
  const webhook = (body: string) => JSON.stringify({ status: 201, webhook: { url, body } });
  const mock = await startMock({
    'momo/pay.post.js': `export default (_, { webhook }) => {
      webhook({ url: '${url}', body: 'called' });
      return { webhook: [{ url: '${url}', body: 'returned' }, { url: '' }, {}, { url: null }] };
    };`,
    'momo/none.post.js': `export default () => ({ status: 202, webhook: { url: undefined } });`,
    'momo/fixed.post.json': '{}',
    'momo/fixed.post.paid.response.json': webhook('file'),
    'errors/404.js': `export default () => ({ webhook: { url: '${url}', body: 'error' } });`,
  });
  await mock.freeze();
  const sent = async (path: string, script?: ScriptedResponse) => {
    const operation = `POST ${path}` as MomoOperation;
    const own = { url, body: 'script' };
    if (script !== undefined) await mock.respondWith({ operation, webhook: own, ...script });
    await ask(mock, path, { method: 'POST' }).catch(() => {});
    await mock.advance('idle');
    return bodies((calls as unknown[]).splice(0) as never).sort();
  };
  await mock.setVariant('paid');
  expect(await sent('/momo/pay')).toEqual(['called', 'returned']);
  expect(await sent('/momo/pay', { fault: 'reset' })).toEqual(['called', 'returned', 'script']);
  expect(await sent('/momo/pay', { status: 500 })).toEqual(['script']);
  expect(await sent('/momo/none')).toEqual([]);
  expect(await sent('/momo/fixed')).toEqual(['file']);
  expect(await sent('/momo/fixed', { headers: { a: 'b' } })).toEqual(['file', 'script']);
  expect(await sent('/momo/fixed', { body: {} })).toEqual(['script']);
  expect(await sent('/momo/nowhere')).toEqual(['error']);
});

it('an attached webhook of a response before the key check follows the clock of all accounts', async () => {
  const mock = await startMock();
  const { url, calls } = await startWebhook();
  await mock.freeze();
  await mock.respondWith({ status: 503, beforeKeyCheck: true, webhook: { url } });
  await ask({ ...mock, apiKey: 'nobody' });
  await mock.advance('idle');
  expect(calls).toHaveLength(1);
  expect(await mock.webhooks()).toMatchObject([{ account: null }]);
});

it('an attached webhook obeys the webhook script', async () => {
  const mock = await startMock();
  const { url } = await startWebhook();
  await mock.scriptWebhooks([{ lose: true }]);
  await mock.respondWith({ webhook: { url } });
  await ask(mock);
  expect(await mock.webhooks({ waitFor: 1 })).toMatchObject([{ reason: 'lost' }]);
});

it.each<[message: string, webhook: unknown]>([
  ['responses[0].webhook.url: must be text, such as', { url: '' }],
  ['Unknown field "responses[0].webhook.urll". Did you mean "url"?', { url: 'x', urll: 1 }],
  ['responses[0].webhook[1].url: must be text, such as', [{ url: 'x' }, {}]],
  ['responses[0].webhook: must be a list of at most 100.', Array(101).fill({ url: 'x' })],
  ['responses[0].webhook: must be a webhook or a list of webhooks.', 'http://localhost'],
])('an attached webhook is refused: %s', async (message, webhook) => {
  const mock = await startMock();
  const given = [{ webhook }] as ScriptedResponse[];
  await expect(mock.respondWith(given)).rejects.toMatchObject({
    code: 'MOMO_MOCK_REQUEST_INVALID',
    message: expect.stringContaining(refusal(message)),
  });
});

it('an error about unused responses has no secret of an attached webhook', async () => {
  const mock = await startMock();
  const sign = { secret: 'canary', header: 'x-mac' };
  await mock.respondWith({ status: 500, webhook: { url: 'x', sign } });
  const failed = mock.verifyUsed();
  await expect(failed).rejects.toMatchObject({ code: 'MOMO_MOCK_NOT_VERIFIED' });
  await expect(failed).rejects.not.toThrow('canary');
});

it('an attached webhook is shown in GET /responses, without its secret', async () => {
  const mock = await startMock({}, { control: true });
  const sign = { secret: 'canary', header: 'x-mac' };
  await mock.respondWith({ webhook: { url: 'http://localhost/', body: 'a canary', sign } });
  const { json } = await control(mock, 'GET /responses');
  const webhook = { url: 'http://localhost/', body: 'a [redacted]' };
  expect(json).toEqual({
    responses: [
      {
        webhook: { ...webhook, sign: { secret: '[redacted]', header: 'x-mac' } },
        times: 1,
      },
    ],
    ids: [expect.any(Number)],
  });
});

it('a wrong webhook in a file is a problem with its position', async () => {
  const problems = await problemsOf({
    'momo/a.get.json': '{}',
    'momo/a.get.paid.response.json': '{"webhook":\n{"url": ""}}',
  });
  expect(problems).toEqual([
    expect.stringContaining(
      'momo/a.get.paid.response.json:2:9: webhook.url: must be text, such as',
    ),
  ]);
});

it('a wrong webhook of a handler fails the handler', async () => {
  const mock = await startMock({
    'momo/pay.post.js': `export default () => ({ webhook: { url: 'x', retry: 5 } });`,
  });
  expect((await ask(mock, '/momo/pay', { method: 'POST' })).status).toBe(500);
  expect(await mock.requests()).toMatchObject([{ reason: 'handler-failed' }]);
});

it('an attached webhook is not sent after a reset, even if its response leaves later', async () => {
  const mock = await startMock();
  const { url, calls } = await startWebhook();
  await mock.respondWith([{ delay: 3_600_000, webhook: { url } }, { webhook: { url } }]);
  const request = get(`${mock.url}/momo/balance?apikey=${mock.apiKey}`, { agent: mock.agent });
  request.on('error', () => {});
  await once(request, 'socket');
  await mock.requests({ waitFor: 1 });
  await expect.poll(async () => (await mock.requests())[0]?.source).toBe('script');
  await mock.reset();
  request.destroy();
  await mock.respondWith({ webhook: { url, body: 'after' } });
  await ask(mock);
  await mock.webhooks({ waitFor: 1 });
  expect(bodies(calls)).toEqual(['after']);
});
