import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, control } from '../support/client.ts';
import { type LocalTestMock, sharedMock, startMock } from '../support/mock.ts';
import { runMock } from '../support/running-mock.ts';
import { NOTIFY, notify, SLOW, startHeldWebhook } from '../support/webhook.ts';

const FILES = {
  ...NOTIFY,
  ...SLOW,
  'momo/many.post.js': `export default (_request, { callback }) => {
    for (let n = 1; n <= 1050; n++) callback({ url: 'nothing' });
  };`,
};

/** One server-sent event. */
interface Event {
  readonly name: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events of a connection, and the position after the last one. */
async function follow(
  { controlUrl }: { readonly controlUrl: string | null },
  headers: Record<string, string> = {},
  query = '',
) {
  const request = get(`${controlUrl}/events${query}`, { headers, agent: false });
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
  const position = () => [...text.matchAll(/^id: (.+)\n\n/gm)].at(-1)?.[1] ?? '';
  // The first batch says where the events begin.
  await expect.poll(position).not.toBe('');
  return { response, request, events, dataOf, position };
}

describe('GET /events', () => {
  const mock = sharedMock(FILES, { control: true });

  it('tells requests when they begin and when they end, without headers, body and key', async () => {
    const { response, events, dataOf } = await follow(mock());
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    const { url, respond } = await startHeldWebhook();
    const answered = ask(mock(), '/momo/slow', { method: 'POST', body: { url } });
    await expect.poll(() => dataOf('request')).toMatchObject([{ status: null, ended: false }]);
    respond();
    await answered;
    await expect.poll(() => dataOf('request')).toHaveLength(2);
    const [entry] = await mock().requests();
    const { headers, body, ...shown } = { ...entry };
    expect(dataOf('request')[1]).toEqual(shown);
    expect(dataOf('request')[0]).toMatchObject({ id: entry?.id, duration: null });
    expect(JSON.stringify(events())).not.toContain(mock().apikey);
  });

  it.each<[string, (mock: LocalTestMock) => Promise<unknown>, what: string[]]>([
    ['a balance', (mock) => mock.setBalance({}), ['balance']],
    ['a variant', (mock) => mock.setVariant('empty'), ['variant']],
    ['a rate limit', (mock) => mock.setRateLimit({ limit: 1, window: 1 }), ['rate-limit']],
    ['a script', (mock) => mock.respondWith({}), ['responses']],
    ['a removed script', (mock) => control(mock, 'DELETE /responses'), ['responses']],
    ['an account', (mock) => mock.createAccount(), ['accounts']],
    ['a state', (mock) => mock.state.set('name', 1), ['state']],
    ['a clock', (mock) => mock.freeze(), ['clock']],
    ['an empty journal', (mock) => control(mock, 'DELETE /requests'), ['requests']],
    ['an empty journal of callbacks', (mock) => control(mock, 'DELETE /callbacks'), ['callbacks']],
    ['a TLS mode', (mock) => mock.setTls('expired'), ['tls']],
    ['a script of callbacks', (mock) => mock.scriptCallbacks([{}]), ['callbacks']],
    [
      'everything, at a reset,',
      (mock) => mock.reset(),
      [
        'accounts',
        'balance',
        'callbacks',
        'clock',
        'rate-limit',
        'requests',
        'responses',
        'state',
        'variant',
      ],
    ],
  ])('tells that %s has changed', async (_what, change, what) => {
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

  it('tells attempts of callbacks when they begin and when they end, to their account', async () => {
    const [one, other] = [await mock().createAccount(), await mock().createAccount()];
    const all = await follow(mock());
    const own = await follow(mock(), { apikey: one.apikey });
    const others = await follow(mock(), { apikey: other.apikey });
    const { url, calls, respond } = await startHeldWebhook();
    await notify(one, { url: `${url}?token=t0ken`, body: 't0ken' });
    await expect.poll(() => all.dataOf('callback')).toMatchObject([{ attempt: 1, status: null }]);
    await expect.poll(() => calls).toHaveLength(1);
    respond();
    await expect.poll(() => all.dataOf('callback')).toHaveLength(2);
    const [entry] = await mock().callbacks();
    const { headers, body: _, ...shown } = { ...entry };
    expect(all.dataOf('callback')).toEqual([{ ...shown, status: null, duration: null }, shown]);
    await expect.poll(() => own.dataOf('callback')).toEqual(all.dataOf('callback'));
    expect(own.dataOf('request').at(-1)).toMatchObject({ path: '/momo/notify' });
    expect([...others.events('request'), ...others.events('callback')]).toEqual([]);
    expect(JSON.stringify(all.events())).not.toContain('t0ken');
  });

  it('begins after the last event that arrived: with each request and attempt once, at its latest event', async () => {
    const first = await follow(mock());
    await ask(mock());
    await expect.poll(() => first.dataOf('request').at(-1)).toMatchObject({ ended: true });
    const position = first.position();
    first.request.destroy();
    const { url, calls, respond } = await startHeldWebhook();
    const slow = ask(mock(), '/momo/slow', { method: 'POST', body: { url } });
    await mock().requests({ path: '/momo/slow', waitFor: 1 });
    await ask(mock(), '/momo/other');
    await expect.poll(() => calls).toHaveLength(1);
    respond();
    await slow;
    await mock().requests({ waitFor: 3, ended: true });
    const resumed = await follow(mock(), { 'last-event-id': position });
    expect(resumed.events()).toMatchObject([
      { name: 'request', data: { path: '/momo/other' } },
      { name: 'request', data: { path: '/momo/slow', status: 200 } },
    ]);
    for (const elsewhere of ['', `another${position}`, 'x']) {
      const other = await follow(mock(), { 'last-event-id': elsewhere });
      expect(other.events()).toEqual([]);
    }
  });

  it('tells who begins after a change no request from before it', async () => {
    const first = await follow(mock());
    await ask(mock());
    await mock().requests({ waitFor: 1, ended: true });
    await mock().setBalance({});
    await expect.poll(() => first.dataOf('change')).toEqual([{ what: 'balance' }]);
    const resumed = await follow(mock(), { 'last-event-id': first.position() });
    expect(resumed.events()).toEqual([]);
  });

  it.each([
    ['', 1000],
    ['?limit=2', 2],
  ])(
    '%s tells at most the newest %i at a time, and how many it has dropped',
    async (query, most) => {
      const busy = await startMock(FILES, { control: true, journalSize: 2000 });
      const first = await follow(busy);
      await ask(busy, '/momo/many', { method: 'POST' });
      await busy.callbacks({ waitFor: 1050, limit: 0 });
      const { events } = await follow(
        busy,
        { 'last-event-id': first.position().replace(/\d+$/, '0') },
        query,
      );
      const [dropped, ...others] = events();
      expect(dropped).toEqual({ name: 'dropped', data: { count: 1051 - most } });
      expect(others.map(({ data }) => data.id)).toEqual(
        Array.from({ length: most }, (_, index) => 1051 - most + index),
      );
    },
  );

  it('ends when the mock stops, long before its deadline', async () => {
    const other = await runMock({ SHUTDOWN_TIMEOUT: '3600000' }, { own: true });
    const { response } = await follow(other);
    const ended = once(response, 'end');
    await other.close();
    await ended;
  });

  it('answers HEAD without events, which would have no end', async () => {
    expect(await control(mock(), 'HEAD /events')).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringContaining('text/event-stream') },
      text: '',
    });
  });

  it('refuses an account that there is not', async () => {
    const reply = await control(mock(), 'GET /events', { headers: { apikey: 'nobody' } });
    expect(reply).toMatchObject({
      status: 404,
      json: { error: { code: 'MOMO_MOCK_ACCOUNT_UNKNOWN' } },
    });
  });
});
