import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BATCH } from '../../src/mock/journal/feed.ts';
import { MOST_PENDING } from '../../src/mock/limits.ts';
import { REAL_TIMERS } from '../mock/real-timers.ts';
import { runMock } from '../support/running-mock.ts';
import { refused } from './control-app.ts';

type Running = Awaited<ReturnType<typeof runMock>>;

/** One server-sent event. */
interface Event {
  readonly name: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Removes the only scripted response. */
function removeScript({ controller }: Running): void {
  controller.script('good', {}, 'append');
  controller.removeScript('good', 0);
}

/** The events of a connection, and the position after the last one. */
async function follow({ controlUrl }: Running, headers: Record<string, string> = {}, query = '') {
  const request = get(`${controlUrl}/events${query}`, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  onTestFinished(() => void request.destroy());
  let text = '';
  response.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  response.on('error', () => {});
  const events = (): Event[] =>
    [...text.matchAll(/^event: (.+)\ndata: (.+)\n\n/gm)].map(([, name, data = '']) => ({
      name,
      data: JSON.parse(data),
    }));
  const position = () => [...text.matchAll(/^id: (.+)\n\n/gm)].at(-1)?.[1];
  // The first batch says where the events begin.
  await expect.poll(position).toBeDefined();
  return { response, request, events, position };
}

const requestsIn = (events: readonly Event[]) =>
  events.filter(({ name }) => name === 'request').map(({ data }) => data);

describe('GET /events', () => {
  it('tells requests when they begin and when they end, without headers, body and key', async () => {
    const mock = await runMock();
    const { response, events } = await follow(mock);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    mock.controller.script('good', { delay: BATCH * 5 }, 'append');
    const answered = mock.get('/momo/balance?apikey=good');
    await expect.poll(() => requestsIn(events())).toMatchObject([{ status: null }]);
    expect(requestsIn(events())[0]).toMatchObject({ id: 1, path: '/momo/balance', duration: null });
    await answered;
    await expect.poll(() => requestsIn(events()).at(-1)).toMatchObject({ id: 1, status: 200 });
    expect(requestsIn(events()).at(-1)).not.toHaveProperty('headers');
    expect(requestsIn(events()).at(-1)).not.toHaveProperty('body');
    expect(JSON.stringify(events())).not.toContain('good');
  });

  it.each<[string, (mock: Running) => unknown, what: string[]]>([
    ['a balance', ({ controller }) => controller.setBalance('good', Buffer.from('1')), ['balance']],
    ['a variant', ({ controller }) => controller.setVariant('good', 'empty'), ['variant']],
    ['a removed script', removeScript, ['responses']],
    ['a script', ({ controller }) => controller.script('good', {}, 'append'), ['responses']],
    ['an account', ({ controller }) => controller.createAccount({}), ['accounts']],
    ['an empty journal', ({ controller }) => controller.clearRequests(undefined), ['requests']],
    ['a TLS mode', ({ tls }) => tls.set('expired'), ['tls']],
    [
      'a reset',
      ({ reset }) => reset(),
      ['balance', 'variant', 'responses', 'accounts', 'state', 'clock', 'requests', 'callbacks'],
    ],
  ])('tells that %s has changed', async (_what, change, what) => {
    const mock = await runMock();
    const { events } = await follow(mock);
    await change(mock);
    await expect
      .poll(() => events().map(({ data }) => data))
      .toEqual(what.map((what) => ({ what })));
  });

  it('tells attempts of callbacks when they begin and when they end, to their account', async () => {
    const mock = await runMock();
    const apikey = mock.controller.createAccount({});
    const [all, own, other] = [
      await follow(mock),
      await follow(mock, { account: 'account-1' }),
      await follow(mock, { apikey }),
    ];
    let respond = () => {};
    const app = createServer((_request, response) => {
      respond = () => void response.end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void app.close());
    await once(app, 'listening');
    const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}/?token=t0ken`;
    const source = { account: 'account-1', timers: REAL_TIMERS };
    mock.mock.callbacks.queue({ url, body: 't0ken' }, source);
    const attempts = () =>
      all.events().flatMap(({ name, data }) => (name === 'callback' ? [data] : []));
    await expect.poll(attempts).toMatchObject([{ id: 1, attempt: 1, status: null }]);
    expect(attempts()[0]).not.toHaveProperty('body');
    expect(attempts()[0]).not.toHaveProperty('headers');
    respond();
    await expect.poll(attempts).toMatchObject([{ duration: null }, { id: 1, status: 200 }]);
    await expect.poll(() => own.events()).toEqual(all.events());
    expect(other.events()).toEqual([]);
    expect(JSON.stringify(attempts())).not.toContain('t0ken');
  });

  it('sends at most so many requests at a time, the newest, and counts the others', async () => {
    const mock = await runMock();
    const { events } = await follow(mock, {}, '?limit=2');
    for (let count = 0; count < 5; count++) mock.mock.journal.open({ method: 'GET', headers: {} });
    await expect.poll(() => requestsIn(events()).map(({ id }) => id)).toEqual([4, 5]);
    const [dropped] = events().filter(({ name }) => name === 'dropped');
    expect(dropped?.data).toEqual({ count: 3 });
  });

  it.each(['0', '1001', 'x', '1.5'])('refuses a limit of %s', async (limit) => {
    const { controlUrl } = await runMock();
    const response = await fetch(`${controlUrl}/events?limit=${limit}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('limit');
  });

  it('tells an account its own requests alone', async () => {
    const mock = await runMock();
    const { events } = await follow(mock, { apikey: 'good' });
    await mock.get('/momo/balance?apikey=wrong');
    await mock.get('/momo/balance?apikey=good');
    await expect.poll(() => requestsIn(events()).map(({ id }) => id)).toContain(2);
    expect(requestsIn(events()).map(({ id }) => id)).not.toContain(1);
  });

  it('resumes after the last event that arrived, and only in the same mock', async () => {
    const mock = await runMock();
    const first = await follow(mock);
    await mock.get('/momo/balance?apikey=good');
    await expect
      .poll(() => requestsIn(first.events()).at(-1)?.duration)
      .toEqual(expect.any(Number));
    first.request.destroy();
    await mock.get('/momo/other?apikey=good');
    await expect.poll(() => mock.records.at(-1)).toMatchObject({ path: '/momo/other' });
    const resumed = await follow(mock, { 'last-event-id': first.position() ?? '' });
    expect(requestsIn(resumed.events()).map(({ id }) => id)).toEqual([2]);
    const other = await follow(mock, { 'last-event-id': `another${first.position()}` });
    expect(requestsIn(other.events())).toEqual([]);
  });

  it('drops the oldest for a reader that does not read, and tells how many', async () => {
    const mock = await runMock();
    const first = await follow(mock);
    const { journal } = mock.mock;
    const missed = 50;
    for (let count = 0; count < MOST_PENDING + missed; count++)
      journal.open({ method: 'GET', headers: {} });
    await expect.poll(() => requestsIn(first.events())).toHaveLength(MOST_PENDING);
    expect(first.events()[0]).toEqual({ name: 'dropped', data: { count: missed } });
    expect(requestsIn(first.events())[0]?.id).toBe(missed + 1);
  });

  it('ends when the mock stops, long before its deadline', async () => {
    const mock = await runMock({ SHUTDOWN_TIMEOUT: '3600000' }, { own: true });
    const { response } = await follow(mock);
    const ended = once(response, 'end');
    await mock.close();
    await ended;
  });

  it('answers HEAD without a reader, which would stay for ever', async () => {
    const mock = await runMock();
    const response = await fetch(`${mock.controlUrl}/events`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
  });

  it('refuses an account that there is not', async () => {
    const { controlUrl } = await runMock();
    const response = await fetch(`${controlUrl}/events`, { headers: { apikey: 'nobody' } });
    const json = await response.json();
    expect({ status: response.status, json }).toMatchObject(
      refused(404, 'MOMO_MOCK_ACCOUNT_UNKNOWN'),
    );
  });
});

describe('GET /requests/ID', () => {
  it('shows a request and its response, without secrets', async () => {
    const mock = await runMock();
    const body = { token: 'abcdef', amount: 5 };
    const headers = { 'x-note': 'yes', 'set-cookie': 'id=abcdef' };
    mock.controller.script('good', { status: 503, headers, body }, 'append');
    await mock.get('/momo/balance?apikey=good', { headers: { 'x-id': '7' } });
    const response = await fetch(`${mock.controlUrl}/requests/1`);
    expect(await response.json()).toMatchObject({
      id: 1,
      headers: { 'x-id': '7' },
      source: 'script',
      response: {
        status: 503,
        headers: { 'x-note': 'yes', 'set-cookie': '[redacted]' },
        body: '{"token":"[redacted]","amount":5}',
      },
    });
  });

  it('has no response for a connection without a request', async () => {
    const mock = await runMock();
    mock.mock.journal.open({ method: null, headers: {} });
    const response = await fetch(`${mock.controlUrl}/requests/1`);
    expect(await response.json()).toMatchObject({ id: 1, method: null, response: null });
  });

  it.each(['2', '0', 'x', '1e0', '9'.repeat(50)])('%s is a clear 404', async (id) => {
    const mock = await runMock();
    mock.mock.journal.open({ method: 'GET', headers: {} });
    const response = await fetch(`${mock.controlUrl}/requests/${id}`);
    const json = await response.json();
    expect({ status: response.status, json }).toMatchObject(
      refused(404, 'MOMO_MOCK_REQUEST_UNKNOWN', expect.stringContaining('none with this id')),
    );
  });

  it('of another account is a 404, too', async () => {
    const mock = await runMock({ API_KEYS: 'good,other' });
    await mock.get('/momo/balance?apikey=good');
    const statusOf = async (apikey: string) =>
      (await fetch(`${mock.controlUrl}/requests/1`, { headers: { apikey } })).status;
    expect([await statusOf('good'), await statusOf('other')]).toEqual([200, 404]);
  });
});
