import { expect, it } from 'vitest';
import { control, send } from '../support/client.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { runMock } from '../support/running-mock.ts';

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
  const fixtures = temporaryFolder();
  writeFiles(fixtures, { 'momo/balance.get.schema.json': { required: ['balance'] } });
  const mock = await runMock({ CONTROL_TOKEN: 'token', FIXTURES_DIR: fixtures });
  const before = mock.records.length;
  const [method, path] = route.replace(/ \/$/, ' ').split(' ');
  const authorization = 'Bearer token';
  const asked = (headers: Record<string, string>, body?: unknown, line = route) =>
    control(mock, line, { headers: { authorization, ...headers }, body });
  const replies = await Promise.all([
    asked({ authorization: `Bearer ${CANARY}` }),
    asked({ apikey: CANARY }),
    asked({ account: CANARY }),
    asked({ host: `${CANARY}.example` }),
    asked({ origin: `http://${CANARY}` }),
    asked({ 'content-type': CANARY }, CANARY),
    asked({ [CANARY]: CANARY, cookie: CANARY }),
    asked({ 'if-match': `"${CANARY}"` }, { set: {} }),
    asked({}, undefined, `${method} ${path}?apikey=${CANARY}`),
    asked({}, undefined, `${method} ${path}?reason=${CANARY}&status=${CANARY}`),
    asked({}, undefined, `${method} ${path}/${CANARY}`),
    asked({}, undefined, `${method} ${path}/%zz${CANARY}`),
    ...BODIES.map((body) => asked({ 'content-type': 'application/json' }, body)),
  ]);
  for (const { status, headers, text } of replies) {
    expect(JSON.stringify(headers) + text).not.toContain(CANARY);
    expect(status).toBeLessThan(500);
  }
  expect(JSON.stringify(mock.records.slice(before))).not.toContain(CANARY);
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

const HOLDING = {
  balance: [],
  'alice-key': 'an alice-key',
  'b"': ['Alice-Key', 'alice%2Dkey'],
};
const HEADERS = { 'x-alice-key': 'alice-key' };
const URL_WITH_KEYS =
  'http://u:alice-key@localhost:1/alice-key?alice-key=alice%2Dkey&x=alice-key#alice-key';

/** A mock that has a configured key in all that it can hold. */
async function full() {
  const fixtures = temporaryFolder();
  writeFiles(fixtures, {
    'momo/call.post.js':
      'export default ({ body }, { callback }) => { for (const one of body) callback(one); };',
  });
  const mock = await runMock({ API_KEYS: 'alice-key', FIXTURES_DIR: fixtures });
  for (const headers of [{}, { apikey: 'alice-key' }]) {
    await control(mock, 'PUT /balance', { headers, body: HOLDING });
    const scripted = [
      { body: HOLDING, headers: HEADERS },
      { body: 'alice-key', times: 'always' },
    ];
    await control(mock, 'PUT /responses', { headers, body: scripted });
  }
  const { text } = await send(mock, '/momo/balance?apikey=alice-key', { headers: HEADERS });
  expect(text).toBe(JSON.stringify(HOLDING));
  for (const name of ['a', 'of%20alice-key']) {
    await control(mock, `PUT /state/${name}`, { body: HOLDING });
  }
  const sets = [{ b: 'alice-key [redacted]' }, { 'alice-key': 1 }, { b: { 'alice-key': '' } }];
  for (const set of sets) await control(mock, 'PATCH /state', { body: { set } });
  const signed = { sign: { header: 'x-alice-key', secret: 'alice-key' } };
  const callbacks = [
    ...ODD_URLS.map((url) => ({ url })),
    { url: URL_WITH_KEYS, headers: HEADERS, body: HOLDING, ...signed },
  ];
  await send(mock, '/momo/call?apikey=alice-key', { method: 'POST', body: callbacks });
  await mock.controller.attempts(undefined, { waitFor: callbacks.length });
  return mock;
}

it.each([...ROUTES, ...VERIFICATIONS])(
  '%s does not show a configured key, wherever it is in the request',
  async (route) => {
    const mock = await full();
    const unknown = [
      { 'alice-key': 1 },
      [{ 'my-ALICE-key': 1 }],
      { delay: { 'alice-key': 1, min: 1 } },
      { body: { 'alice-key': 1 } },
      { balance: { 'alice-key': 1 } },
      HOLDING,
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
      const reply = await control(mock, route, { headers: { apikey: 'alice-key' }, body });
      expect(JSON.stringify(reply.headers) + reply.text).not.toMatch(/alice(-|%2D)key/i);
    }
    const [method, path] = route.split(' ');
    for (const query of ['', '?alice-key=1']) {
      const { text } = await control(mock, `${method} ${path}${query}`);
      expect(text).not.toContain('alice-key');
    }
  },
);
