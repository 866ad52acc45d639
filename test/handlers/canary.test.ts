import { expect, it } from 'vitest';
import { post, runTree } from './run-tree.ts';

const KEY = 'canary+right/0a9b8c7d=';
const coded = encodeURIComponent(KEY);

/** Hands on whatever it gets: to the log, its state, a callback, its response and its errors. */
const LEAKY = `export default async (request, { log, state, callback, after }) => {
  const all = JSON.stringify(request) + request.rawBody;
  log.error(all);
  await state.set('all', { all, [request.body.note]: all });
  callback({
    url: 'http://127.0.0.1:1/?note=' + encodeURIComponent(request.body.note),
    headers: { 'x-note': encodeURIComponent(request.body.note) },
    body: all,
  });
  after(1000, () => { throw new Error(all); });
  if (request.body.fails) throw new Error(all);
  return { body: all };
};`;

it('no configured key comes out of what a handler hands on, but in its own response', async () => {
  const mock = await runTree(
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
  for (const fails of [false, true]) {
    const body = { note: `my ${KEY} key`, apikey: KEY, fails };
    const { status } = await post(mock, '/momo/pay', body, coded);
    expect(status).toBe(fails ? 500 : 200);
  }
  expect((await post(mock, '/momo/order', { note: KEY, [KEY]: 1 }, coded)).status).toBe(400);
  await mock.mock.service.clock.advance('idle').catch(() => {});
  const shown = await Promise.all(
    [
      ...['/state?prefix=', '/state/all', '/callbacks', '/requests', '/requests/1', '/clock'],
      ...['/accounts', '/operations', '/'],
    ].map(async (path) => {
      const headers = { account: 'account-1' };
      return await (await fetch(`${mock.controlUrl}${path}`, { headers })).text();
    }),
  );
  const all = [...shown, JSON.stringify(mock.records)].join('\n');
  expect(all).toContain('[redacted]');
  for (const shape of [KEY, coded, JSON.stringify(KEY).slice(1, -1), 'canary+right']) {
    expect(all.toLowerCase()).not.toContain(shape.toLowerCase());
  }
});
