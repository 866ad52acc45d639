import { describe, expect, it } from 'vitest';
import { post, runTree } from './run-tree.ts';

const CANARY = 'kanarienvogel';

describe('a handler of an error gets no key of a request that has no valid one', () => {
  const SHOW = `export default (request, { log }) => {
    log.error(JSON.stringify(request));
    return { body: { all: JSON.stringify(request), raw: String(request.rawBody) } };
  };`;
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it.each<[what: string, target: string, headers?: Record<string, string>, body?: string]>([
    ...['api_key', 'apiKey', 'APIKEY', 'api-key', 'apikey[]', 'key', 'token', 'access_token'].map(
      (name): [string, string] => [`?${name}=`, `?x=1&${encodeURIComponent(name)}=${CANARY}`],
    ),
    ['a wrong key, and elsewhere', `/${CANARY}7?apikey=${CANARY}7&note=a-${CANARY}7`],
    ['a repeated key', `?apikey=${CANARY}&apikey=${CANARY}2`],
    ...['x-api-key', 'apikey', 'authorization', 'proxy-authorization', 'x-auth', 'cookie'].map(
      (name): [string, string, Record<string, string>] => [name, '', { [name]: `Key ${CANARY}` }],
    ),
    ['a header and a referrer', '', { 'x-api-key': CANARY, referer: `https://a/?k=${CANARY}` }],
    ['JSON', '', json, JSON.stringify({ list: [{ apiKey: CANARY }], note: `a ${CANARY}` })],
    ['a form', '', form, `x=1&api_key=${CANARY}`],
    ['a long body', '', json, JSON.stringify({ note: 'x'.repeat(70_000), apikey: CANARY })],
    ['text', '', {}, `apikey: ${CANARY}\n`],
  ])('%s', async (_what, target, headers = {}, body = '') => {
    const mock = await runTree({ 'errors/401.js': SHOW });
    const length = { 'content-length': `${Buffer.byteLength(body)}` };
    const path = target.startsWith('/') ? target : `/momo/balance${target}`;
    const options = { method: 'POST', headers: { ...headers, ...length }, body };
    const reply = await mock.get(path, options);
    expect(reply.status).toBe(401);
    expect(JSON.parse(reply.body).all).toContain('"reason":"key-');
    expect(reply.body.toLowerCase()).not.toContain(CANARY);
    expect(JSON.stringify(mock.records).toLowerCase()).not.toContain(CANARY);
  });

  it('apart from that it gets the request as it was sent', async () => {
    const mock = await runTree({ 'errors/401.js': SHOW });
    const body = '{ "amount": 5 }';
    const headers = { ...json, 'x-shop': 'one', 'content-length': `${body.length}` };
    const target = '/momo/status/A1?a=1&b=2&a=3';
    const reply = JSON.parse((await mock.get(target, { method: 'POST', headers, body })).body);
    expect(reply.raw).toBe(body);
    expect(JSON.parse(reply.all)).toMatchObject({
      method: 'POST',
      path: '/momo/status/A1',
      query: { a: ['1', '3'], b: '2' },
      headers: { 'x-shop': 'one' },
      body: { amount: 5 },
      reason: 'key-missing',
    });
  });
});

describe('fixture(path) with a value of a client', () => {
  it.each<[what: string, path: unknown]>([
    ['a file that is not there', `phones/${CANARY}.json`],
    ['a folder that is a file', `state.json/${CANARY}.json`],
    ['no .json file', CANARY],
    ['a place outside', `../../${CANARY}.json`],
    ['an absolute path', `/etc/${CANARY}.json`],
    ['a NUL', `${CANARY}\0.json`],
    ['a name that is too long', `${CANARY.repeat(100)}.json`],
    ['a path that is too long', `${`${CANARY}/`.repeat(1000)}a.json`],
    ['no text', { toString: CANARY }],
    ['a list', [`${CANARY}.json`]],
    ['nothing', undefined],
  ])('quotes none in its error and the log: %s', async (_what, path) => {
    const mock = await runTree({
      'state.json': {},
      'momo/own.post.js': `export default async ({ body }, { fixture, log }) => {
        try { await fixture(body.path); } catch (error) { log.warn(error.message); }
        return { body: await fixture(body.path) };
      };`,
    });
    expect((await post(mock, '/momo/own', { path })).status).toBe(500);
    const logged = JSON.stringify(mock.records);
    expect(
      logged.match(/Failed to read the file of fixture\(\): (it is not|there is no)/g)?.length,
    ).toBe(2);
    expect(logged).not.toContain(CANARY);
  });
});

describe('the log quotes no value of a client', () => {
  const own = (code: string) => `export default async ({ body }, context) => { ${code} };`;

  it.each<[what: string, code: string, words: string]>([
    ['fields of a callback', 'context.callback({ url: "", ...body });', 'unknown field. Use only'],
    ['fields of a response', 'return { ...body };', 'unknown field. Use only'],
    ['fields of a delay', 'return { delay: { min: 1, max: 2, ...body } };', 'unknown field'],
    ['names of headers', 'return { headers: { [body.a + " "]: "1" } };', 'headers: must be'],
    ['values of headers', 'return { headers: { a: body.a + "\\n" } };', 'headers: must be'],
    ['a status', 'return { status: body.a };', 'status: must be'],
    ['a fault', 'return { fault: body.a };', 'fault: must be'],
    ['the name of a state', 'await context.state.set(body.a.repeat(50), 1);', 'a name must be'],
    ['a value of a state', 'await context.state.set(body.a, () => body.a);', 'cannot be written'],
    ['a time', 'context.after(body.a, () => {});', 'the time of after'],
    ['a method', 'context.callback({ url: "http://a", method: body.a });', 'method: must be'],
    ['a signature', 'context.callback({ url: "x", sign: { header: body.a + " " } });', 'sign'],
    ['a form', 'context.callback({ url: "x", form: { [body.a]: [body.a] } });', 'form: must be'],
    [
      'the name of an error',
      'throw Object.assign(new Error(), { name: body.a });',
      'threw an Error',
    ],
    ['a text', 'throw body.a;', 'it threw a string'],
    ['a message', 'throw new TypeError(body.a);', 'it threw a TypeError'],
    ['names in a body', 'return { body: { [body.a]: 1, n: { [body.a]: "x" } } };', '/n/… must be'],
    ['a field too many', 'return { body: { n: {}, ok: 1, [body.a]: 1 } };', 'properties ("…")'],
    [
      'a failed timer',
      'context.after(0, () => context.callback({ ...body }));',
      'Failed to run a timer',
    ],
  ])('in an error about %s', async (_what, code, words) => {
    const mock = await runTree({
      'momo/own.post.js': own(code),
      'momo/own.post.schema.json': {
        additionalProperties: false,
        required: ['n'],
        properties: { ok: {}, n: { additionalProperties: { type: 'number' } } },
      },
    });
    const body = { [CANARY]: 1, [`${CANARY} in two words`]: CANARY, a: CANARY };
    await post(mock, '/momo/own', body);
    await mock.controller.changeClock(undefined, { advance: 0 }).catch(() => {});
    const logged = JSON.stringify(mock.records);
    expect(logged).toContain(JSON.stringify(words).slice(1, -1));
    expect(logged).not.toContain(CANARY);
  });

  it('in the places that violate a request schema', async () => {
    const mock = await runTree({
      'momo/own.post.json': {},
      'momo/own.post.request.schema.json': {
        properties: {
          body: {
            additionalProperties: false,
            properties: { list: { items: { maxProperties: 0 } } },
          },
        },
      },
    });
    const { status } = await post(mock, '/momo/own', { [CANARY]: 1, list: [{ [CANARY]: 1 }] });
    expect(status).toBe(400);
    const [entry] = await mock.controller.requests(undefined, {});
    expect(entry?.hint).toMatch(/\(body\.…, body\.list\)$/);
    expect(JSON.stringify(mock.records)).toContain('(body.…, body.list)');
    expect(JSON.stringify(mock.records)).not.toContain(CANARY);
  });

  it('but says what a mistyped field of a handler means', async () => {
    const mock = await runTree({ 'momo/own.post.js': own('return { staus: 201 };') });
    await post(mock, '/momo/own', {});
    expect(JSON.stringify(mock.records)).toContain(
      'staus: unknown field. Did you mean \\"status\\"?',
    );
  });
});
