import { describe, expect, it } from 'vitest';
import { ask, control, send } from '../support/client.ts';
import { sharedLogged, startLogged } from '../support/mock.ts';

const KEY = 'canary+right/0a9b8c7d=';

/** Hands on whatever it gets: to the log, its state, a webhook, its response and its errors. */
const LEAKY = `export default async (request, { log, state, webhook, after }) => {
  const all = JSON.stringify(request) + request.rawBody;
  log.error(all);
  await state.set('all', { all, [request.body.note]: all });
  webhook({
    url: 'http://127.0.0.1:1/?note=' + encodeURIComponent(request.body.note),
    headers: { 'x-note': encodeURIComponent(request.body.note) },
    body: all,
  });
  after(1000, () => { throw new Error(all); });
  if (request.body.fails) throw new Error(all);
  return { body: all };
};`;

it('a handler exposes no configured key, except in its own response', async () => {
  const mock = await startLogged(
    {
      'momo/pay.post.js': LEAKY,
      'momo/order.post.json': {},
      'momo/order.post.request.schema.json': {
        properties: { body: { additionalProperties: false, properties: { note: { const: 1 } } } },
      },
      'errors/400.js':
        'export default ({ problems }, { log }) => log.warn(JSON.stringify(problems));',
    },
    { API_KEYS: KEY },
  );
  const coded = encodeURIComponent(KEY);
  const post = (path: string, body: object) =>
    send(mock, `${path}?apikey=${coded}`, { method: 'POST', body });
  for (const fails of [false, true]) {
    const { status } = await post('/momo/pay', { note: `my ${KEY} key`, apikey: KEY, fails });
    expect(status).toBe(fails ? 500 : 200);
  }
  expect((await post('/momo/order', { note: KEY, [KEY]: 1 })).status).toBe(400);
  await mock.advance('idle').catch(() => {});
  const shown = await Promise.all(
    [
      ...['/state?prefix=', '/state/all', '/webhooks', '/requests', '/requests/1', '/clock'],
      ...['/accounts', '/operations', '/'],
    ].map(async (path) => {
      return (await control(mock, `GET ${path}`, { headers: { account: 'account-1' } })).text;
    }),
  );
  const all = [...shown, mock.logged()].join('\n');
  expect(all).toContain('[redacted]');
  for (const shape of [KEY, coded, JSON.stringify(KEY).slice(1, -1), 'canary+right']) {
    expect(all.toLowerCase()).not.toContain(shape.toLowerCase());
  }
});

it('an error of a handler or its timer is logged without a key in its file name', async () => {
  const key = 'sekret47';
  const failing = `export default ({ body }, { after }) => {
    if (body.now) throw new Error();
    after(0, () => { throw new Error(); });
  };`;
  const mock = await startLogged({ [`momo/${key}.post.js`]: failing }, { API_KEYS: key });
  for (const now of [true, false])
    await ask(mock, `/momo/${key}`, { method: 'POST', body: { now } });
  await mock.advance(0).catch(() => {});
  const failures = mock.records.filter(({ msg }) => `${msg}`.startsWith('Failed to run'));
  expect(failures).toMatchObject([
    { msg: expect.stringContaining('the handler at') },
    { msg: expect.stringContaining('a timer at') },
  ]);
  expect(JSON.stringify(failures)).not.toContain(key);
});

const CANARY = 'kanarienvogel';

/** What a handler does with the body of a request, and what the log says of it. */
const MISTAKES: readonly (readonly [what: string, code: string, words: string])[] = [
  ['fields of a webhook', 'context.webhook({ url: "", ...body });', 'Use only'],
  ['fields of a response', 'return { ...body };', 'Use only'],
  ['names of headers', 'return { headers: { [body.a + " "]: "1" } };', 'headers: must be'],
  ['values of headers', 'return { headers: { a: body.a + "\\n" } };', 'headers: must be'],
  ['a fault', 'return { fault: body.a };', 'fault: must be'],
  ['the name of a state', 'await context.state.set(body.a.repeat(50), 1);', 'a name must be'],
  ['a value of a state', 'await context.state.set(body.a, () => body.a);', 'cannot be written'],
  ['a time', 'context.after(body.a, () => {});', 'the time of after'],
  ['a signature', 'context.webhook({ url: "x", sign: { header: body.a + " " } });', 'sign'],
  ['a form', 'context.webhook({ url: "x", form: { [body.a]: [body.a] } });', 'form: must be'],
  [
    'the name of an error',
    'throw Object.assign(new Error(), { name: body.a });',
    'it threw an Error',
  ],
  ['names in a body', 'return { body: { [body.a]: 1, n: { [body.a]: "x" } } };', '/n/… must be'],
  ['a field too many', 'return { body: { n: {}, ok: 1, [body.a]: 1 } };', 'properties ("…")'],
  [
    'a failed timer',
    'context.after(0, () => context.webhook({ ...body }));',
    'Failed to run a timer',
  ],
];

describe('the log repeats no value of a client', () => {
  const mock = sharedLogged(
    Object.assign(
      {},
      ...MISTAKES.map(([, code], at) => ({
        [`own/${at}.post.js`]: `export default async ({ body }, context) => { ${code} };`,
        [`own/${at}.post.schema.json`]: {
          additionalProperties: false,
          required: ['n'],
          properties: { ok: {}, n: { additionalProperties: { type: 'number' } } },
        },
      })),
    ),
  );

  it.each(MISTAKES.map((row, at) => [...row, at] as const))(
    'in an error about %s: %s',
    async (_what, _code, words, at) => {
      const before = mock().records.length;
      const body = { [CANARY]: 1, [`${CANARY} in two words`]: CANARY, a: CANARY };
      await ask(mock(), `/own/${at}`, { method: 'POST', body });
      await mock()
        .advance(0)
        .catch(() => {});
      const records = mock().records.slice(before);
      const told = records.filter(({ level }) => level === 50).map(({ msg }) => msg);
      expect(told).toEqual([expect.stringContaining(words)]);
      expect(JSON.stringify(records)).not.toContain(CANARY);
    },
  );
});
