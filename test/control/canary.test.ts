import { expect, it } from 'vitest';
import type { Callback } from '../../src/mock/callbacks/callback.ts';
import { prepareCallback } from '../../src/mock/callbacks/prepared-callback.ts';
import { REAL_TIMERS } from '../mock/real-timers.ts';
import { controlApp } from './control-app.ts';

const CANARY = 'kanarienvogel';

const ROUTES = [
  'GET /health',
  'GET /certificate',
  'GET /balance',
  'PUT /balance',
  'DELETE /balance',
  'GET /responses',
  'PUT /responses',
  'POST /responses',
  'DELETE /responses',
  'DELETE /responses/0',
  'GET /variant',
  'PUT /variant',
  'DELETE /variant',
  'GET /operations',
  'GET /operations/GET%20%2Fmomo%2Fbalance',
  'GET /state',
  'PATCH /state',
  'GET /state/a',
  'PUT /state/a',
  'DELETE /state/a',
  'GET /clock',
  'POST /clock',
  'GET /accounts',
  'GET /',
  'GET /requests',
  'DELETE /requests',
  'GET /requests/1',
  'GET /callbacks',
  'DELETE /callbacks',
  'POST /callbacks/1/send',
  'GET /callbacks/script',
  'PUT /callbacks/script',
  'DELETE /callbacks/script',
  'POST /accounts',
  'DELETE /accounts',
  'GET /tls',
  'PUT /tls',
  'POST /reset',
  'GET /openapi.json',
  'GET /no-such-path',
  'PATCH /balance',
];

/** Bodies that no route takes. */
const BODIES: unknown[] = [
  `{"${CANARY}`,
  `"${CANARY}"`,
  [CANARY],
  { apikey: `${CANARY} ${CANARY}` },
  { variant: CANARY },
  { mode: CANARY },
  { operation: CANARY },
  { headers: { [`${CANARY} `]: '' } },
  { headers: { [CANARY]: 1 } },
  { headers: { a: `${CANARY}\n` } },
  { fault: CANARY },
  { fault: { type: CANARY } },
  { delay: CANARY },
  { times: CANARY },
  { status: CANARY },
  { body: { [CANARY]: 1 } },
  [{ lose: CANARY, delay: CANARY, repeat: CANARY }],
  { set: CANARY, delete: CANARY },
  { set: { [`${CANARY}`.repeat(50)]: 1 } },
  { set: { [CANARY]: 1 }, delete: [CANARY] },
  { set: {}, delete: [`${CANARY}`.repeat(50)] },
];

it.each(ROUTES)('%s repeats no value of what was asked', async (route) => {
  const { send, records } = await controlApp({ token: 'token' });
  const [method, path] = route.split(' ');
  const authorization = 'Bearer token';
  const replies = await Promise.all([
    send(route, { headers: { authorization: `Bearer ${CANARY}` } }),
    send(route, { headers: { authorization, apikey: CANARY } }),
    send(route, { headers: { authorization, host: `${CANARY}.example` } }),
    send(route, { headers: { authorization, origin: `http://${CANARY}` } }),
    send(route, { headers: { authorization, 'content-type': CANARY }, body: CANARY }),
    send(route, { headers: { authorization, [CANARY]: CANARY, cookie: CANARY } }),
    send(route, { headers: { authorization, 'if-match': `"${CANARY}"` }, body: { set: {} } }),
    send(`${method} ${path}?apikey=${CANARY}`, { headers: { authorization } }),
    send(`${method} ${path}?reason=${CANARY}&status=${CANARY}`, { headers: { authorization } }),
    send(`${method} ${path}/${CANARY}`, { headers: { authorization } }),
    send(`${method} ${path}/%zz${CANARY}`, { headers: { authorization } }),
    ...BODIES.map((body) => send(route, { headers: { authorization }, body })),
  ]);
  for (const { status, headers, body } of replies) {
    expect(JSON.stringify(headers) + body).not.toContain(CANARY);
    expect(status).toBeLessThan(500);
  }
  expect(JSON.stringify(records)).not.toContain(CANARY);
});

/** URLs of callbacks with a key in the place of the password, as `new URL` takes them or not. */
const ODD_URLS = [
  'http:u:alice-key@localhost/',
  'http:\\\\u:alice-key@localhost\\x',
  'ht\ttp:///u:ali\tce-key@localhost/',
  '//u:alice-key@localhost/',
  'u:alice-key@localhost',
  'http://u:alice-key@[bad]/?token=alice-key',
];

/** They repeat what was expected, so they are only asked with configured keys. */
const VERIFICATIONS = ['POST /verify', 'POST /verify/callbacks', 'POST /verify/scripts'];

it.each([...ROUTES, ...VERIFICATIONS])(
  '%s does not show a configured key, wherever it is in the request',
  async (route) => {
    const { send, mock, ask } = await controlApp();
    const holding = { balance: 1, 'alice-key': 'an alice-key', 'b"': ['Alice-Key', 'alice%2Dkey'] };
    const headers = { 'x-alice-key': 'alice-key' };
    for (const apikey of [undefined, 'alice-key']) {
      await send('PUT /balance', { headers: apikey ? { apikey } : {}, body: holding });
      const body = [
        { body: holding, headers },
        { body: 'alice-key', times: 'always' },
      ];
      await send('PUT /responses', { headers: apikey ? { apikey } : {}, body });
    }
    expect(ask('alice-key').body).toBe(JSON.stringify(holding));
    for (const name of ['a', 'of%20alice-key']) await send(`PUT /state/${name}`, { body: holding });
    for (const set of [
      { b: 'alice-key [redacted]' },
      { 'alice-key': 1 },
      { b: { 'alice-key': '' } },
    ]) {
      await send('PATCH /state', { body: { set } });
    }
    const entry = mock.journal.open({ method: 'GET', headers: { 'x-key': 'alice-key' } });
    const account = mock.accounts.get('alice-key')?.id ?? null;
    mock.journal.note(entry, { account, target: '/momo/balance?apikey=alice-key' });
    const queue = (callback: Callback) => {
      const prepared = prepareCallback(callback);
      if (prepared === undefined) return;
      mock.callbacks.prepare(prepared, { account, timers: REAL_TIMERS })();
    };
    for (const url of ODD_URLS) {
      queue({ url });
    }
    queue({
      url: 'http://u:alice-key@localhost/alice-key?alice-key=alice%2Dkey&x=alice-key#alice-key',
      headers,
      body: holding,
      sign: { header: 'x-alice-key', secret: 'alice-key' },
    });
    await mock.callbacks.journal.wait({}, ODD_URLS.length + 1, 5000);
    const unknown = [
      { 'alice-key': 1 },
      [{ 'my-ALICE-key': 1 }],
      { delay: { 'alice-key': 1, min: 1 } },
      { body: { 'alice-key': 1 } },
      { balance: { 'alice-key': 1 } },
      holding,
      { status: 418, path: '/alice-key', query: { x: 'alice-key' }, body: 'an alice-key' },
      { exactly: [{ headers: { 'alice-key': 'x' } }] },
      { attempt: 7, url: 'http://localhost/alice-key?x=alice-key', body: 'an alice-key' },
      { url: 'http://localhost/?alice-key=1' },
      [{ 'alice-key': 1 }],
      { set: { 'alice-key': 'alice-key' }, delete: ['alice-key'] },
      { set: { a: '[redacted] alice-key' } },
      ...ODD_URLS.map((url) => ({ url, attempt: 7 })),
    ];
    const bodies = [undefined, { balance: 1 }, { status: 500 }, { mode: 'expired' }, ...unknown];
    for (const body of bodies) {
      const reply = await send(route, { headers: { apikey: 'alice-key' }, body });
      expect(JSON.stringify(reply.headers) + reply.body).not.toMatch(/alice(-|%2D)key/i);
    }
    const [method, path] = route.split(' ');
    for (const query of ['', '?alice-key=1']) {
      const reply = await send(`${method} ${path}${query}`);
      expect(reply.body).not.toContain('alice-key');
    }
  },
);
