import { describe, expect, it } from 'vitest';
import type { Callback } from '../../src/mock/callbacks/callback.ts';
import type { CallbackEntry } from '../../src/mock/callbacks/callback-entry.ts';
import { REAL_TIMERS } from '../mock/real-timers.ts';
import { type ControlApp, controlApp, refused } from './control-app.ts';

const HOOK = 'http://localhost:3000/hook';

/** A control API, and a function that makes the callbacks of an account and waits for them. */
async function withCallbacks(): Promise<
  ControlApp & { call: (callbacks: Partial<Callback>[], key?: string) => Promise<void> }
> {
  const app = await controlApp();
  const { callbacks, accounts } = app.mock;
  const call = async (given: Partial<Callback>[], key = 'alice-key') => {
    const account = accounts.get(key)?.id ?? null;
    for (const one of given) {
      callbacks.queue({ url: HOOK, ...one }, { account, timers: REAL_TIMERS });
    }
    await expect.poll(() => callbacks.pending).toBe(0);
  };
  return { ...app, call };
}

const callbacksOf = ({ json }: { json: unknown }) =>
  (json as { callbacks: CallbackEntry[] }).callbacks;

describe('GET /callbacks', () => {
  it('shows one entry for each attempt, without secrets', async () => {
    const { call, send } = await withCallbacks();
    const url = `${HOOK}?status=500&token=t0ken`;
    await call([{ url, body: { apikey: 'alice-key', note: 't0ken' }, retry: [0] }]);
    const { json } = await send('GET /callbacks');
    const entry = {
      id: 1,
      time: expect.stringMatching(/^20.*Z$/),
      account: 'account-1',
      url: `${HOOK}?status=500&token=[redacted]`,
      method: 'POST',
      headers: {
        'user-agent': 'momo-mock',
        'content-type': 'application/json; charset=utf-8',
        'content-length': expect.any(String),
      },
      body: '{"apikey":"[redacted]","note":"[redacted]"}',
      attempt: 1,
      status: 500,
      reason: null,
      hint: null,
      duration: expect.any(Number),
    };
    const callbacks = [entry, { ...entry, id: 2, attempt: 2 }];
    expect(json).toEqual({ callbacks, dropped: 0, total: 2 });
  });

  it.each([
    [`url=${encodeURIComponent(`${HOOK}?status=500`)}`, [2, 3]],
    [`url=${encodeURIComponent(HOOK)}`, [1, 2, 3]],
    ['url=http%3A%2F%2Flocalhost%3A3000%2F', []],
    ['method=put', [4]],
    ['status=200', [1]],
    ['reason=bad-url', [4]],
    ['attempt=2', [3]],
    ['since=2&limit=1', [4]],
    ['waitFor=5&timeout=0&attempt=1', [1, 2, 4]],
  ])('?%s shows those that match', async (query, ids) => {
    const { call, send } = await withCallbacks();
    await call([{}]);
    await call([{ url: `${HOOK}?status=500`, retry: [0] }]);
    await call([{ url: 'nothing', method: 'PUT' }]);
    expect(callbacksOf(await send(`GET /callbacks?${query}`)).map(({ id }) => id)).toEqual(ids);
  });

  it('waits for callbacks that are not made yet', async () => {
    const { call, send } = await withCallbacks();
    const reply = send('GET /callbacks?waitFor=2&status=200');
    await call([{ body: 1 }, { body: 2 }]);
    expect(callbacksOf(await reply).map(({ body }) => body)).toEqual(['1', '2']);
  });

  it('of an account shows and removes those of the account alone', async () => {
    const { call, send } = await withCallbacks();
    await call([{ body: 1 }]);
    await call([{ body: 2 }], 'bob-key');
    const bodies = async (headers = {}) =>
      callbacksOf(await send('GET /callbacks', { headers })).map(({ body }) => body);
    const headers = { apikey: 'bob-key' };
    expect(await bodies(headers)).toEqual(['2']);
    expect(await send('DELETE /callbacks', { headers })).toMatchObject({ status: 204 });
    expect([await bodies(headers), await bodies()]).toEqual([[], ['1']]);
    await send('POST /reset');
    expect(await bodies()).toEqual([]);
  });

  it('shows the newest of many, and how many were dropped', async () => {
    const { call, send } = await withCallbacks();
    await call(Array(120).fill({}));
    expect(await send('GET /callbacks?limit=1')).toMatchObject({
      json: { callbacks: [{ id: 120 }], dropped: 20, total: 100 },
    });
  });
});

describe('POST /callbacks/{id}/send', () => {
  it('makes one more attempt, and returns it', async () => {
    const { call, send } = await withCallbacks();
    await call([{ body: 'again' }]);
    const again = { id: 2, attempt: 2, body: 'again', status: 200 };
    expect(await send('POST /callbacks/1/send')).toMatchObject({ status: 200, json: again });
    expect(callbacksOf(await send('GET /callbacks'))).toMatchObject([{ attempt: 1 }, again]);
  });

  it.each(['7', 'x', '0', '1e0'])('/%s is 404 if there is no such attempt', async (id) => {
    const { call, send } = await withCallbacks();
    await call([{}]);
    const unknown = refused(404, 'MOMO_MOCK_CALLBACK_UNKNOWN');
    expect(await send(`POST /callbacks/${id}/send`)).toMatchObject(unknown);
    const headers = { apikey: 'bob-key' };
    expect(await send('POST /callbacks/1/send', { headers })).toMatchObject(unknown);
  });
});

describe('/callbacks/script', () => {
  it('is replaced, shown and removed, of an account and of the service', async () => {
    const { send } = await controlApp();
    const headers = { apikey: 'alice-key' };
    const script = [{}, { lose: true }, { delay: 5000 }, { repeat: 2 }];
    expect(await send('PUT /callbacks/script', { body: script })).toMatchObject({
      status: 200,
      json: { script },
    });
    await send('PUT /callbacks/script', { body: [{ lose: true }] });
    const of = async (options = {}) => (await send('GET /callbacks/script', options)).json;
    expect(await of()).toEqual({ script: [{ lose: true }] });
    expect(await of({ headers })).toEqual({ script: [] });
    await send('PUT /callbacks/script', { headers, body: [{ repeat: 3 }] });
    expect(await of({ headers })).toEqual({ script: [{ repeat: 3 }] });
    expect(await send('DELETE /callbacks/script')).toMatchObject({ status: 204 });
    expect([await of(), await of({ headers })]).toEqual([
      { script: [] },
      { script: [{ repeat: 3 }] },
    ]);
    await send('POST /reset', { headers });
    expect(await of({ headers })).toEqual({ script: [] });
  });

  it.each<[unknown, string]>([
    [
      { lose: true },
      'callbacks: must be a list of at most 10000 objects with some of lose, delay, r',
    ],
    [[{}, { loose: true }], 'callbacks[1].loose: unknown field. Did you mean "lose"?'],
    [[{ lose: 1 }], 'callbacks[0].lose: must be true or false.'],
    [[{ delay: -1 }], 'callbacks[0].delay: must be a whole number from 0 to 3600000.'],
    [[{ repeat: 0 }], 'callbacks[0].repeat: must be a whole number from 1 to 100.'],
    [Array(10_001).fill({}), 'callbacks: must be a list of at most 10000'],
  ])('%j is refused, and changes nothing', async (body, message) => {
    const { send } = await controlApp();
    const problem = expect.stringContaining(`Failed to read ${message}`);
    expect(await send('PUT /callbacks/script', { body })).toMatchObject(
      refused(400, 'MOMO_MOCK_REQUEST_INVALID', problem),
    );
    expect((await send('GET /callbacks/script')).json).toEqual({ script: [] });
  });
});

describe('POST /verify/callbacks', () => {
  it.each([
    [{ url: HOOK, body: { n: 1 }, status: 200, times: 1 }],
    [[{ attempt: 1, status: 500 }, { attempt: 2 }]],
    [{ exactly: [{ body: { n: 1 } }, { status: 500, times: 2 }] }],
    [{ reason: 'lost', times: 0 }],
    [{ headers: { 'Content-Type': 'application/json; charset=utf-8' } }],
  ])('%j is so', async (body) => {
    const { call, send } = await withCallbacks();
    await call([{ body: { n: 1 } }]);
    await call([{ url: `${HOOK}?status=500`, retry: [0] }]);
    expect(await send('POST /verify/callbacks', { body })).toMatchObject({
      status: 200,
      json: { verified: true },
    });
  });

  it.each([
    [
      { url: HOOK, body: { n: 2 } },
      `Failed to verify: expected ${HOOK} with body {"n":2} at least once, but 0 of 1 callback matches.
The closest is callback 1, POST ${HOOK} attempt 1: 200:
  body.n: expected 2, received 1
If the callback may still follow, set timeout to wait for it.`,
    ],
    [
      [{ status: 200 }, { attempt: 2 }],
      `Failed to verify: expected 2 callbacks in this order, but number 2, a callback with attempt 2, did not happen after callback 1, POST ${HOOK} attempt 1: 200.
The closest is callback 1, POST ${HOOK} attempt 1: 200:
  attempt: expected 2, received 1
If the callback may still follow, set timeout to wait for it.`,
    ],
    [
      { exactly: [] },
      `Failed to verify: expected exactly 0 callbacks, but 1 callback more followed: callback 1, POST ${HOOK} attempt 1: 200.`,
    ],
  ])('%j is not met: 422', async (body, message) => {
    const { call, send } = await withCallbacks();
    await call([{ body: { n: 1 } }]);
    expect(await send('POST /verify/callbacks', { body })).toMatchObject(
      refused(422, 'MOMO_MOCK_NOT_VERIFIED', message),
    );
  });

  it('says what to check if there was no callback, and lists the closest', async () => {
    const { call, send } = await withCallbacks();
    const body = { method: 'put' };
    const none = await send('POST /verify/callbacks', { body });
    expect(none.body).toContain('No callback was sent. Check that a handler calls callback()');
    await call([{}]);
    const { json } = await send('POST /verify/callbacks', { body });
    expect(json).toMatchObject({ closest: [{ id: 1, method: 'POST' }] });
  });

  it('waits for as long as it is told', async () => {
    const { call, send } = await withCallbacks();
    const reply = send('POST /verify/callbacks?timeout=5000', { body: { times: 2 } });
    await call([{}, {}]);
    expect(await reply).toMatchObject({ status: 200 });
  });

  it.each([
    [{ url: `${HOOK}?token=x` }, 'url.token'],
    [{ body: { apikey: 'x' } }, 'body.apikey'],
  ])('refuses %j, which the journal does not show', async (body, place) => {
    const { send } = await controlApp();
    const problem = expect.stringContaining(`Failed to read ${place}: is a secret`);
    expect(await send('POST /verify/callbacks', { body })).toMatchObject(
      refused(400, 'MOMO_MOCK_REQUEST_INVALID', problem),
    );
  });
});
