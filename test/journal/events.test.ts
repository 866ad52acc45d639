import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, control } from '../support/client.ts';
import { sharedMock, startServer, type TestMock } from '../support/mock.ts';
import { NOTIFY, notify, SLOW, startHeldWebhook } from '../support/webhook.ts';

const FILES = {
  ...NOTIFY,
  ...SLOW,
};

/** One server-sent event. */
interface Event {
  readonly name: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events of a connection. */
async function follow(
  { controlUrl }: { readonly controlUrl: string | null },
  headers: Record<string, string> = {},
) {
  const request = get(`${controlUrl}/events`, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  onTestFinished(() => void request.destroy());
  let text = '';
  response.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  response.on('error', () => {});
  const events = (name?: string): Event[] =>
    [...text.matchAll(/^event: (.+)\ndata: (.+)\n\n/gm)]
      .map(([, name, data = '']) => ({ name, data: JSON.parse(data) }))
      .filter((event) => name === undefined || event.name === name);
  const dataOf = (name: string) => events(name).map(({ data }) => data);
  // A comment shows that the events have begun.
  await expect.poll(() => text).toMatch(/^:\n\n/);
  return { response, events, dataOf, text: () => text };
}

describe('GET /events', () => {
  const mock = sharedMock(FILES, { control: true });

  it('sends requests when they begin and when they end, without headers, body and key', async () => {
    const { response, events, dataOf } = await follow(mock());
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    const { url, respond } = await startHeldWebhook();
    const responded = ask(mock(), '/momo/slow', { method: 'POST', body: { url } });
    await expect.poll(() => dataOf('request')).toMatchObject([{ status: null, ended: false }]);
    respond();
    await responded;
    await expect.poll(() => dataOf('request')).toHaveLength(2);
    const [entry] = await mock().requests();
    const { headers, body, ...shown } = { ...entry };
    expect(dataOf('request')[1]).toEqual(shown);
    expect(dataOf('request')[0]).toMatchObject({ id: entry?.id, duration: null });
    expect(JSON.stringify(events())).not.toContain(mock().apiKey);
  });

  it.each<[string, (mock: TestMock) => Promise<unknown>, what: string[]]>([
    ['a balance', (mock) => mock.setBalance({}), ['balance']],
    ['a variant', (mock) => mock.setVariant('empty'), ['variant']],
    ['a rate limit', (mock) => mock.setRateLimit({ limit: 1, window: 1 }), ['rate-limit']],
    ['a script', (mock) => mock.respondWith({}), ['responses']],
    ['a removed script', (mock) => control(mock, 'DELETE /responses'), ['responses']],
    ['an account', (mock) => mock.createAccount(), ['accounts']],
    ['a state', (mock) => mock.state.set('name', 1), ['state']],
    ['a clock', (mock) => mock.freeze(), ['clock']],
    ['an empty journal', (mock) => control(mock, 'DELETE /requests'), ['requests']],
    ['an empty journal of webhooks', (mock) => control(mock, 'DELETE /webhooks'), ['webhooks']],
    ['a TLS mode', (mock) => mock.setTls('expired'), ['tls']],
    ['a script of webhooks', (mock) => mock.scriptWebhooks([{}]), ['webhooks']],
    [
      'everything, at a reset,',
      (mock) => mock.reset(),
      [
        'accounts',
        'balance',
        'clock',
        'prompts',
        'rate-limit',
        'requests',
        'responses',
        'state',
        'variant',
        'webhooks',
      ],
    ],
  ])('sends a change of %s', async (_what, change, what) => {
    const { events, dataOf } = await follow(mock());
    await change(mock());
    await expect
      .poll(() =>
        dataOf('change')
          .map(({ what }) => what)
          .sort(),
      )
      .toEqual(what);
    expect(events()).toHaveLength(what.length);
  });

  it('sends webhook attempts when they begin and when they end, to their account', async () => {
    const [one, other] = [await mock().createAccount(), await mock().createAccount()];
    const all = await follow(mock());
    const own = await follow(mock(), { apikey: one.apiKey });
    const others = await follow(mock(), { apikey: other.apiKey });
    const { url, calls, respond } = await startHeldWebhook();
    await notify(one, { url: `${url}?token=t0ken`, body: 't0ken' });
    await expect.poll(() => all.dataOf('webhook')).toMatchObject([{ attempt: 1, status: null }]);
    await expect.poll(() => calls).toHaveLength(1);
    respond();
    await expect.poll(() => all.dataOf('webhook')).toHaveLength(2);
    const [entry] = await mock().webhooks();
    const { headers, body: _, ...shown } = { ...entry };
    expect(all.dataOf('webhook')).toEqual([
      { ...shown, status: null, accepted: null, duration: null },
      shown,
    ]);
    await expect.poll(() => own.dataOf('webhook')).toEqual(all.dataOf('webhook'));
    expect(own.dataOf('request').at(-1)).toMatchObject({ path: '/momo/notify' });
    expect([...others.events('request'), ...others.events('webhook')]).toEqual([]);
    expect(JSON.stringify(all.events())).not.toContain('t0ken');
  });

  it('starts from the present for a reader that reconnects, because no event has an id', async () => {
    const first = await follow(mock());
    await ask(mock());
    await expect.poll(() => first.dataOf('request').at(-1)).toMatchObject({ ended: true });
    expect(first.text()).not.toMatch(/^id:/m);
    const second = await follow(mock(), { 'last-event-id': '0' });
    await mock().setBalance({});
    await expect
      .poll(() => second.events())
      .toEqual([{ name: 'change', data: { what: 'balance' } }]);
  });

  it('ends when the mock stops, long before its deadline', async () => {
    const other = await startServer({}, { SHUTDOWN_TIMEOUT: '3600000' });
    const { response } = await follow(other);
    const ended = once(response, 'end');
    await other.close();
    await ended;
  });

  it('responds to HEAD without events, which would never end', async () => {
    expect(await control(mock(), 'HEAD /events')).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringContaining('text/event-stream') },
      text: '',
    });
  });

  it('refuses an unknown account', async () => {
    const response = await control(mock(), 'GET /events', { headers: { apikey: 'nobody' } });
    expect(response).toMatchObject({
      status: 404,
      json: { error: { code: 'MOMO_MOCK_ACCOUNT_UNKNOWN' } },
    });
  });
});
