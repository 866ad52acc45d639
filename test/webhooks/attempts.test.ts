import { describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';
import type { MomoScope, MomoTarget } from '../support/momo-mock.ts';
import { NOTIFY, notify, startWebhook } from '../support/webhook.ts';

/** Makes a webhook and all its attempts. */
async function callBack(scope: MomoScope & MomoTarget, webhook: object): Promise<void> {
  await scope.freeze();
  await notify(scope, webhook);
  await scope.advance('idle');
}

/** An application that responds with these statuses, one after the other, and then with 200. */
const respondingWith = (statuses: number[]) =>
  startWebhook((_request, response) => void response.writeHead(statuses.shift() ?? 200).end());

it('attempts are made until one is accepted, each a wait after the end of the previous one', async () => {
  const mock = await startMock(NOTIFY);
  const { url, calls } = await respondingWith([500, 302]);
  await mock.freeze();
  await notify(mock, { url, body: 'same', retry: [1000, 5000, 9000] });
  const made: number[] = [calls.length];
  for (const time of [0, 999, 1, 4999, 1, 60_000]) {
    await mock.advance(time);
    made.push(calls.length);
  }
  expect(made).toEqual([0, 1, 1, 2, 2, 3, 3]);
  expect(calls.map(({ body }) => body)).toEqual(['same', 'same', 'same']);
  const attempts = await mock.webhooks();
  expect(attempts).toMatchObject([
    { attempt: 1, status: 500 },
    { attempt: 2, status: 302 },
    { attempt: 3, status: 200 },
  ]);
  const at = attempts.map(({ time }) => Date.parse(time) - Date.parse(`${attempts[0]?.time}`));
  expect(at).toEqual([0, 1000, 6000]);
});

it('attempts of a removed account are canceled', async () => {
  const mock = await startMock(NOTIFY);
  const account = await mock.createAccount();
  const app = await startWebhook(() => {});
  await notify(account, { url: app.url, retry: [0] });
  await expect.poll(() => app.calls.length).toBe(1);
  await account.remove();
  const attempts = await mock.webhooks({ waitFor: 1 });
  expect(attempts).toMatchObject([{ status: null, reason: 'cancelled' }]);
});

it('a reset drops attempts in flight, queued attempts and scripted ones', async () => {
  const mock = await startMock(NOTIFY);
  const [one, other] = [await mock.createAccount(), await mock.createAccount()];
  const left: string[] = [];
  const open: (() => void)[] = [];
  const app = await startWebhook(({ url = '' }, response) => {
    response.on('close', () => response.writableEnded || left.push(url));
    open.push(() => response.end());
  });
  for (const [index, account] of [one, other].entries()) {
    await notify(account, { url: `${app.url}?in-flight=${index}`, retry: [0] });
    await expect.poll(() => open.length).toBe(index + 1);
    await account.freeze();
    await notify(account, { url: `${app.url}?queued=${index}` });
    await account.scriptWebhooks([{ lose: true }, {}]);
  }
  await one.reset();
  await expect.poll(() => left).toEqual(['/hook?in-flight=0']);
  expect(await one.webhooks()).toEqual([]);
  for (const respond of open) respond();
  await other.webhooks({ waitFor: 1 });
  await other.advance('idle');
  await callBack(one, { url: 'nothing' });
  expect((await mock.webhooks()).map(({ status, reason }) => status ?? reason)).toEqual([
    200,
    'lost',
    'bad-url',
  ]);
  expect(app.calls.map(({ target }) => target)).toEqual(['/hook?in-flight=0', '/hook?in-flight=1']);
});

describe('an attempt', () => {
  const mock = sharedMock(NOTIFY, { control: true });

  it.each([
    { status: 200, accept: undefined, count: 1 },
    { status: 299, accept: undefined, count: 1 },
    { status: 300, accept: undefined, count: 2 },
    { status: 404, accept: undefined, count: 2 },
    { status: 409, accept: [201, 409], count: 1 },
    { status: 200, accept: [201, 409], count: 2 },
  ])(
    'with the response $status, if accept is $accept, is one of $count',
    async ({ status, accept, count }) => {
      const { url } = await respondingWith([status, status]);
      await callBack(mock(), { url, retry: [0], accept });
      expect(await mock().webhooks()).toHaveLength(count);
    },
  );

  it('without a response is also repeated as often as retry says', async () => {
    const { url } = await startWebhook(null);
    await callBack(mock(), { url, retry: [0, 7], timeout: 1 });
    const failed = { status: null, reason: 'timeout', hint: expect.stringContaining('timeout') };
    expect(await mock().webhooks()).toMatchObject([
      { attempt: 1, ...failed },
      { attempt: 2, ...failed },
      { attempt: 3, ...failed },
    ]);
  });

  it('starts after the response of the handler has left, and its receiver can call the mock', async () => {
    const files = {
      'momo/pay.post.js': `export default ({ body }, { webhook }) => {
        webhook({ url: body.url });
        return { status: 202, delay: 50 };
      };`,
    };
    const mock = await startMock(files);
    const app = await startWebhook(async (_request, response) => {
      const { status = 0 } = await ask(mock);
      response.writeHead(status + 1).end();
    });
    const { status } = await ask(mock, '/momo/pay', { method: 'POST', body: { url: app.url } });
    expect([status, app.calls.length]).toEqual([202, 0]);
    expect(await mock.webhooks({ waitFor: 1 })).toMatchObject([{ status: 201 }]);
  });

  it('is ended when the mock is closed', async () => {
    const mock = await startMock(NOTIFY);
    let isLeft = false;
    const app = await startWebhook((_request, response) => {
      response.on('close', () => (isLeft = true));
    });
    await notify(mock, { url: app.url });
    await expect.poll(() => app.calls).toHaveLength(1);
    await mock.close();
    await expect.poll(() => isLeft).toBe(true);
  });

  it('can be repeated immediately, with the next number, and follows the script', async () => {
    const other = await mock().createAccount();
    const { url, calls } = await respondingWith([]);
    await callBack(mock(), { url, body: 'again' });
    await mock().scriptWebhooks([{ lose: true }]);
    const [entry] = await mock().webhooks();
    const again = (id: unknown, headers = {}) =>
      control(mock(), `POST /webhooks/${id}/send`, { headers });
    const made = { id: Number(entry?.id) + 1, attempt: 2, body: 'again', status: 200 };
    expect(await again(entry?.id)).toMatchObject({ status: 200, json: made });
    expect(await mock().webhooks()).toMatchObject([{ attempt: 1 }, made]);
    expect(calls.map(({ body }) => body)).toEqual(['again', 'again']);
    const unknown = { status: 404, json: { error: { code: 'MOMO_MOCK_WEBHOOK_UNKNOWN' } } };
    for (const id of ['99999', 'x', '0', '1e0']) expect(await again(id)).toMatchObject(unknown);
    expect(await again(entry?.id, { apikey: other.apiKey })).toMatchObject(unknown);
  });
});
