import { request as openRequest } from 'node:https';
import { expect, it, onTestFinished } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import type { ResponseFaultType, Webhook } from '../support/momo-mock.ts';
import { NOTIFY, notify, startHeldWebhook, startWebhook } from '../support/webhook.ts';

const HOUR = 3_600_000;

/** A payment that is pending for an hour, and sends a webhook for each status. */
const PAY = {
  'momo/pay.post.js': `export default ({ body: { url } }, { state, after, webhook, now }) => {
    const send = (status) => webhook({ url, body: { status } });
    send('pending');
    after(${HOUR}, async () => { await state.set('status', 'success'); send('success'); });
    after(${2 * HOUR}, () => send('settled'));
    return { status: 201 };
  };`,
};

/** An application that notes which came first: its webhooks, or the response to its request. */
async function startRace(status = 200) {
  const order: string[] = [];
  const app = await startWebhook(async (_request, response) => {
    order.push(app.calls.at(-1)?.body ?? '');
    response.writeHead(status).end();
  });
  const asked = async (...asking: Parameters<typeof ask>) => {
    const response = await ask(...asking);
    order.push(`${response.status}`);
    return response;
  };
  return { ...app, order, asked };
}

/** A status query. Its status shows that the handler ran. */
const QUERY = {
  'momo/status.get.js': `export default async (_, { state }) => (
    { status: 203, body: { status: await state.get('status') } }
  );`,
};

/**
 * An application with one worker: it handles a webhook when its request has its response, and a test
 * lets it work.
 *
 * @param isFree whether another worker handles its webhooks at once
 */
async function startWorker(isFree = false) {
  const handled: string[] = [];
  let work = () => {};
  const free = isFree ? Promise.resolve() : new Promise<void>((resolve) => (work = resolve));
  const app = await startWebhook(async (_request, response) => {
    const body = `${app.calls.at(-1)?.body}`;
    await free;
    await worker.handle();
    handled.push(body);
    response.writeHead(worker.status).end();
  });
  const worker = {
    ...app,
    asked: ask,
    handled,
    work: () => work(),
    status: 200,
    handle: async () => {},
  };
  return worker;
}

/** When an account's clock is, in ms since its beginning. */
async function timeOf(mock: { webhooks(): Promise<readonly { readonly time: string }[]> }) {
  const times = (await mock.webhooks()).map(({ time }) => Date.parse(time));
  return times.map((time) => time - (times[0] ?? 0));
}

it('a webhook of a scripted response arrives before it, also while the clock is frozen', async () => {
  const mock = await startMock();
  const { url, order, asked } = await startRace();
  await mock.freeze();
  const early: Webhook = { url, body: 'early', before: true };
  await mock.respondWith({ status: 202, webhook: [{ url, body: 'late' }, early] });
  await asked(mock);
  expect(order).toEqual(['early', '202']);
  await mock.advance(0);
  expect(order).toEqual(['early', '202', 'late']);
  expect(await mock.webhooks()).toMatchObject([
    { attempt: 1, status: 200 },
    { attempt: 1, status: 200 },
  ]);
});

it('a webhook of a file and of a handler arrives before the response', async () => {
  const { url, order, asked } = await startRace();
  const webhook = (body: string) => JSON.stringify({ url, body, before: true });
  const mock = await startMock({
    'momo/file.post.paid.response.json': `{"status":201,"webhook":${webhook('file')}}`,
    'momo/file.post.json': '{}',
    'momo/returned.post.js': `export default () => ({ webhook: ${webhook('returned')} });`,
    'momo/called.post.js': `export default (_, { webhook }) => webhook(${webhook('called')});`,
    'momo/failed.post.js': `export default (_, { webhook }) => {
      webhook(${webhook('failed')});
      throw new Error();
    };`,
  });
  await mock.setVariant('paid');
  for (const path of ['file', 'returned', 'called', 'failed']) {
    await asked(mock, `/momo/${path}`, { method: 'POST' });
  }
  expect(order).toEqual(['file', '201', 'returned', '200', 'called', '200', 'failed', '500']);
});

it('the first attempt counts: the response does not wait for retries and repeats', async () => {
  const mock = await startMock(NOTIFY);
  const { url, order, asked } = await startRace(500);
  await mock.freeze();
  await mock.scriptWebhooks([{ before: true, repeat: 2 }]);
  const body = { url, body: 'x', retry: [1000] };
  await asked(mock, '/momo/notify', { method: 'POST', body });
  expect(order).toEqual(['x', '200']);
  await mock.advance('idle');
  expect(order).toEqual(['x', '200', 'x', 'x', 'x']);
});

it.each<[what: string, webhook: Partial<Webhook>, reason: string]>([
  ['has a URL that is none', { url: 'nothing' }, 'bad-url'],
  ['goes to another machine', { url: 'http://192.0.2.1/' }, 'host-not-allowed'],
  ['finds nobody', { url: 'http://127.0.0.1:9/' }, 'connection-failed'],
])('a webhook that %s does not keep the response', async (_what, webhook, reason) => {
  const mock = await startMock();
  await mock.respondWith({ webhook: { url: '', ...webhook, before: true } });
  expect((await ask(mock)).status).toBe(200);
  expect(await mock.webhooks()).toMatchObject([{ reason }]);
});

it('a lost one and one that cannot be forged do not keep the response', async () => {
  const mock = await startMock();
  const { url } = await startWebhook();
  await mock.scriptWebhooks([{ lose: true }, { forge: 'body' }]);
  const webhook = { url, before: true };
  await mock.respondWith({ webhook: [webhook, webhook] });
  expect((await ask(mock)).status).toBe(200);
  expect(await mock.webhooks()).toMatchObject([{ reason: 'lost' }, { reason: 'not-forged' }]);
});

it('an application that responds to neither gets its response after the timeout, and the journal says so', async () => {
  const mock = await startMock();
  const { url } = await startWebhook(null);
  await mock.respondWith({ webhook: { url, before: true, timeout: 1 } });
  expect((await ask(mock)).status).toBe(200);
  expect(await mock.webhooks()).toMatchObject([
    { reason: 'timeout', hint: expect.stringContaining('handles one request at a time') },
  ]);
  await mock.sendWebhook({ url, timeout: 1 });
  const [, later] = await mock.webhooks();
  expect(later?.hint).not.toContain('one request at a time');
});

it('a response waits for a webhook no longer than the script says, and the attempt continues', async () => {
  const mock = await startMock(NOTIFY);
  const worker = await startWorker();
  await mock.freeze();
  await mock.scriptWebhooks([{ before: 1 }]);
  const body = { url: worker.url, body: 'x', retry: [1000] };
  const { status } = await worker.asked(mock, '/momo/notify', { method: 'POST', body });
  expect([status, worker.handled]).toEqual([200, []]);
  // An advance waits for the rest of the attempt, so it sends a retry of it.
  expect(await mock.clock()).toMatchObject({ pending: 1 });
  worker.status = 500;
  const advanced = mock.advance('idle');
  worker.work();
  await advanced;
  expect(worker.handled).toEqual(['x', 'x']);
  expect(await mock.webhooks()).toMatchObject([
    { attempt: 1, status: 500, accepted: false, reason: null },
    { attempt: 2, status: 500, accepted: false, reason: null },
  ]);
  expect(await mock.clock()).toMatchObject({ pending: 0 });
});

it('a webhook that limits the wait in its own field arrives before the response, too', async () => {
  const mock = await startMock();
  const worker = await startWorker();
  await mock.respondWith({ status: 202, webhook: { url: worker.url, body: 'x', before: 1 } });
  expect((await worker.asked(mock)).status).toBe(202);
  worker.work();
  expect(await mock.webhooks({ waitFor: 1 })).toMatchObject([{ status: 200, accepted: true }]);
});

it('a response leaves as soon as the attempt has ended, whatever is left of the limit', async () => {
  const mock = await startMock();
  const { url, order, asked } = await startRace();
  await mock.scriptWebhooks([{ before: 10_000 }]);
  await mock.respondWith({ status: 202, webhook: { url, body: 'early', timeout: 60_000 } });
  await asked(mock);
  expect(order).toEqual(['early', '202']);
  const [entry] = await mock.webhooks();
  expect(entry?.duration).toBeLessThan(10_000);
});

it('the limit begins when a delayed webhook is sent, and nothing else that is due then extends it', async () => {
  const mock = await startMock();
  const worker = await startWorker();
  const other = await startHeldWebhook();
  await mock.freeze();
  await mock.respondWith([
    { webhook: { url: other.url, delay: HOUR } },
    { status: 202, webhook: { url: worker.url, body: 'x', delay: HOUR, before: 1 } },
  ]);
  await ask(mock);
  // The first webhook is due when its response has left.
  await mock.advance(0);
  expect((await worker.asked(mock)).status).toBe(202);
  await expect.poll(() => [other.calls.length, worker.calls.length]).toEqual([1, 1]);
  expect(worker.handled).toEqual([]);
  other.respond();
  worker.work();
  await mock.advance(0);
  expect(await mock.webhooks()).toMatchObject([{ status: 200 }, { status: 200 }]);
  expect(await timeOf(mock)).toEqual([0, 0]);
});

it('a response that waits for two delayed webhooks waits for each no longer than its limit', async () => {
  const mock = await startMock();
  const worker = await startWorker();
  const webhook = (hours: number) => ({ url: worker.url, delay: hours * HOUR, before: 1 });
  await mock.respondWith({ status: 202, webhook: [webhook(1), webhook(2)] });
  expect((await worker.asked(mock)).status).toBe(202);
  await expect.poll(() => worker.calls.length).toBe(2);
  worker.work();
  expect(await mock.webhooks({ waitFor: 2 })).toMatchObject([{ status: 200 }, { status: 200 }]);
  const [first = 0, second = 0] = (await mock.webhooks()).map(({ time }) => Date.parse(time));
  expect(second - first).toBe(HOUR);
});

it('a webhook that times out while the response waits says so, and one that times out later does not', async () => {
  const mock = await startMock();
  const { url } = await startWebhook(null);
  const webhook = (before: number, timeout: number) => ({ webhook: { url, before, timeout } });
  await mock.respondWith([webhook(10_000, 1), webhook(1, 2)]);
  await ask(mock);
  await ask(mock);
  const hints = (await mock.webhooks({ waitFor: 2 })).map(({ reason, hint }) => [
    reason,
    hint?.includes('handles one request at a time'),
  ]);
  expect(hints).toEqual([
    ['timeout', true],
    ['timeout', false],
  ]);
});

it.each(['after its response', 'at once'])(
  'the webhook of a status query comes after its handler, and before its response, to an application that acknowledges it %s',
  async (when) => {
    const mock = await startMock(QUERY);
    const worker = await startWorker(when === 'at once');
    await mock.state.set('status', 'pending');
    worker.handle = () => mock.state.set('status', 'success');
    const webhook = { url: worker.url, body: { status: 'success' } };
    await mock.respondWith({ operation: 'GET /momo/status', webhook });
    await mock.scriptWebhooks([
      { match: { body: { status: 'failed' } }, before: 1 },
      { match: { body: { status: 'success' } }, before: when === 'at once' ? 10_000 : 1 },
    ]);
    const response = await worker.asked(mock, '/momo/status');
    expect(response).toMatchObject({ status: 203, json: { status: 'pending' } });
    await expect.poll(() => worker.calls.length).toBe(1);
    const isHandled = when === 'at once';
    expect(await mock.state.get('status')).toBe(isHandled ? 'success' : 'pending');
    worker.work();
    expect(await mock.webhooks({ waitFor: 1 })).toMatchObject([{ status: 200, accepted: true }]);
    expect(await mock.state.get('status')).toBe('success');
    expect(await mock.requests()).toMatchObject([{ source: 'handler', status: 203 }]);
  },
);

it.each<ResponseFaultType | 'delay'>(['reset', 'truncate', 'hang', 'delay'])(
  'a webhook arrives before a response that is broken: %s',
  async (fault) => {
    const mock = await startMock();
    const app = await startHeldWebhook();
    const broken = fault === 'delay' ? { delay: 1 } : { fault };
    await mock.respondWith({ ...broken, webhook: { url: app.url, before: true } });
    const asked = ask(mock).catch(() => undefined);
    await expect.poll(() => app.calls.length).toBe(1);
    expect(await mock.requests()).toMatchObject([{ status: null, ended: false }]);
    app.respond();
    expect(await mock.webhooks({ waitFor: 1 })).toMatchObject([{ status: 200 }]);
    if (fault !== 'hang') await asked;
  },
);

it('moves the clock to the webhook of a timer, no further, whose state is written', async () => {
  const mock = await startMock(PAY);
  const account = await mock.createAccount();
  const { url, order, asked } = await startRace();
  await account.freeze();
  const target = { ...mock, apiKey: account.apiKey };
  await account.scriptWebhooks([{ match: { body: { status: 'success' } }, before: true }]);
  await asked(target, '/momo/pay', { method: 'POST', body: { url } });
  expect(order).toEqual(['{"status":"success"}', '201']);
  expect(await account.state.get('status')).toBe('success');
  await account.advance(HOUR - 1);
  expect(order.slice(2)).toEqual(['{"status":"pending"}']);
  await account.advance(1);
  expect(order.slice(3)).toEqual(['{"status":"settled"}']);
  expect(await timeOf(account)).toEqual([0, 0, HOUR]);
});

it('a script of all accounts moves a clock that runs, by exactly the time of the timer', async () => {
  const mock = await startMock(PAY);
  const { url, order, asked } = await startRace();
  await mock.scriptWebhooks([{}, { before: true }, { before: true }]);
  await asked(mock, '/momo/pay', { method: 'POST', body: { url } });
  expect(order).toEqual(['{"status":"success"}', '{"status":"settled"}', '201']);
  await mock.webhooks({ waitFor: 3 });
  const [, between] = await timeOf(mock);
  expect(between).toBe(HOUR);
});

it('runs other timers that are due on the way, and sends their webhooks', async () => {
  const mock = await startMock(PAY);
  const { url, order, asked, calls } = await startRace();
  await mock.freeze();
  await asked(mock, '/momo/pay', { method: 'POST', body: { url: `${url}?first` } });
  await mock.advance(HOUR / 2);
  const settled = { url: `${url}?second`, body: { status: 'settled' } };
  await mock.scriptWebhooks([{ match: settled, before: true }]);
  order.length = 0;
  await asked(mock, '/momo/pay', { method: 'POST', body: { url: `${url}?second` } });
  const [success, last] = ['{"status":"success"}', '{"status":"settled"}'];
  expect(order).toEqual([success, last, last, '201']);
  expect(calls.slice(1).map(({ target }) => target)).toEqual(
    ['?first', '?first', '?second'].map((query) => `/hook${query}`),
  );
  order.length = 0;
  await mock.advance(0);
  expect(order.sort()).toEqual(['{"status":"pending"}', success]);
});

it('a request without such a webhook does not move the clock and leaves the script', async () => {
  const mock = await startMock({ ...PAY, ...NOTIFY });
  const { url, order, asked } = await startRace();
  await mock.freeze();
  await asked(mock, '/momo/pay', { method: 'POST', body: { url } });
  await mock.scriptWebhooks([{ match: { body: 'other' }, before: true }]);
  await asked(mock);
  await asked(mock, '/momo/notify', { method: 'POST', body: { url, body: 'no match' } });
  expect(order).toEqual(['201', '200', '200']);
  await mock.advance(0);
  expect(order.slice(3)).toEqual(['{"status":"pending"}', 'no match']);
  order.length = 0;
  await mock.sendWebhook({ url, body: 'other' });
  await asked(mock, '/momo/notify', { method: 'POST', body: { url, body: 'other' } });
  expect(order).toEqual(['other', 'other', '200']);
});

it('takes what is scripted until its response is decided', async () => {
  const mock = await startMock({
    'momo/slow.post.js': `export default async ({ body: { url } }, { webhook }) => {
      webhook({ url, before: true });
      await fetch(url);
    };`,
  });
  const { url, calls, respond } = await startHeldWebhook();
  const asked = ask(mock, '/momo/slow', { method: 'POST', body: { url } });
  await expect.poll(() => calls.length).toBe(1);
  await mock.scriptWebhooks([{ lose: true }]);
  respond();
  await asked;
  expect(await mock.webhooks()).toMatchObject([{ reason: 'lost' }]);
});

it('is too late when the response has left', async () => {
  const mock = await startMock(PAY);
  const { url, order, asked } = await startRace();
  await mock.freeze();
  await asked(mock, '/momo/pay', { method: 'POST', body: { url } });
  await mock.scriptWebhooks([{ before: true }, { lose: true }]);
  await mock.advance('idle');
  expect((await mock.webhooks()).map(({ reason }) => reason)).toEqual(['lost', null, null]);
  expect(order).toHaveLength(3);
});

it('a client that leaves meanwhile does not stop the webhook, and stops the clock', async () => {
  const mock = await startMock(PAY);
  const app = await startHeldWebhook();
  await mock.freeze();
  await mock.scriptWebhooks([{ before: true }, { before: true }]);
  const request = openRequest(`${mock.url}/momo/pay?apikey=${mock.apiKey}`, {
    method: 'POST',
    agent: mock.agent,
    headers: { 'content-type': 'application/json' },
  });
  onTestFinished(() => void request.destroy());
  request.on('error', () => {});
  request.end(JSON.stringify({ url: app.url }));
  await expect.poll(() => app.calls.length).toBe(1);
  request.destroy();
  await mock.requests({ waitFor: 1, aborted: true });
  app.respond();
  expect(await mock.webhooks({ waitFor: 1 })).toMatchObject([{ status: 200 }]);
  await mock.advance(0);
  expect(await mock.state.get('status')).toBeUndefined();
});

it('a reset meanwhile lets the response go', async () => {
  const mock = await startMock();
  const app = await startWebhook(null);
  await mock.respondWith({ status: 202, webhook: { url: app.url, before: true } });
  const asked = ask(mock);
  await expect.poll(() => app.calls.length).toBe(1);
  await mock.reset();
  expect((await asked).status).toBe(202);
});

it('two requests of one account at the same time both get their response', async () => {
  const mock = await startMock(PAY);
  const { url, order } = await startRace();
  await mock.freeze();
  await mock.scriptWebhooks([{ match: { body: { status: 'success' } }, before: true }]);
  const pay = () => ask(mock, '/momo/pay', { method: 'POST', body: { url } });
  const responses = await Promise.all([pay(), pay()]);
  expect(responses.map(({ status }) => status)).toEqual([201, 201]);
  expect(order[0]).toBe('{"status":"success"}');
  await mock.advance('idle');
  expect(order).toHaveLength(6);
});

it.each(['mock', 'account'] as const)(
  'an application can pay again in a webhook that an advance of the %s sends',
  async (whose) => {
    const mock = await startMock({ ...PAY, ...NOTIFY });
    const account = await mock.createAccount();
    const target = { ...mock, apiKey: account.apiKey };
    const again: unknown[] = [];
    const app = await startWebhook(async ({ url: path = '' }, response) => {
      if (path.includes('again')) {
        await account.scriptWebhooks([{ match: { body: { status: 'settled' } }, before: true }]);
        const body = { url: app.url };
        const { status } = await ask(target, '/momo/pay', { method: 'POST', body });
        again.push(status, app.calls.at(-1)?.body);
      }
      response.end();
    });
    await account.freeze();
    await notify(target, { url: `${app.url}?again` });
    const scope = whose === 'mock' ? mock : account;
    await scope.advance(0);
    expect(again).toEqual([201, '{"status":"settled"}']);
    expect((await account.webhooks()).map(({ status }) => status)).toEqual(Array(4).fill(200));
  },
);

it('a mock that closes meanwhile lets the response go', async () => {
  const mock = await startMock({}, { shutdownTimeout: 60_000 });
  const app = await startWebhook(null);
  await mock.respondWith({ status: 202, webhook: { url: app.url, before: true } });
  const asked = ask(mock);
  await expect.poll(() => app.calls.length).toBe(1);
  await mock.close();
  expect((await asked).status).toBe(202);
});

it('a webhook after its response is sent when the script is for another', async () => {
  const mock = await startMock(NOTIFY);
  const { url, calls } = await startWebhook();
  await mock.scriptWebhooks([{ match: { method: 'put' }, before: true }]);
  await notify(mock, { url, body: 'other' });
  await mock.webhooks({ waitFor: 1 });
  expect(calls).toHaveLength(1);
});
