import { describe, expect, it } from 'vitest';
import { post, runTree } from './run-tree.ts';

const BALANCE_URL = '/momo/balance?apikey=good';

const ECHO = `export default ({ method, path, params, query, headers, body, rawBody }) => ({
  status: 201,
  headers: { 'x-from': 'handler' },
  body: { method, path, params, query, shop: headers['x-shop'], body, length: rawBody.length },
});`;

const LENGTH = 'export default ({ rawBody }) => ({ body: { length: rawBody.length } });';

describe('a handler', () => {
  it('answers its operation with what it is given', async () => {
    const mock = await runTree({ 'momo/pay/[to].post.js': ECHO });
    const body = '{"amount":5}';
    const reply = await mock.get('/momo/pay/7?apikey=good&a=1', {
      method: 'POST',
      headers: { 'x-shop': 'one', 'content-length': body.length },
      body,
    });
    expect(reply.status).toBe(201);
    expect(reply.headers).toMatchObject({ 'x-from': 'handler' });
    expect(JSON.parse(reply.body)).toEqual({
      ...{ method: 'POST', path: '/momo/pay/7', params: { to: '7' }, query: { a: '1' } },
      ...{ shop: 'one', body: { amount: 5 }, length: 12 },
    });
    const [entry] = await mock.controller.requests(undefined, {});
    expect(entry).toMatchObject({ status: 201, source: 'handler' });
    expect(entry?.file).toMatch(/\[to\]\.post\.js$/);
  });

  it('that returns nothing answers 200 without a body', async () => {
    const mock = await runTree({ 'momo/ping.get.js': 'export default () => {};' });
    const { status, body } = await mock.get('/momo/ping?apikey=good');
    expect([status, body]).toEqual([200, '']);
  });

  it('that says an error status without a body gets the body of errors/NNN', async () => {
    const mock = await runTree({
      'momo/ping.get.js': 'export default async () => ({ status: 404 });',
      'errors/404.json': { gone: true },
    });
    expect((await mock.get('/momo/ping?apikey=good')).body).toBe('{"gone":true}');
  });

  it('is reached with a valid key only', async () => {
    const mock = await runTree({ 'momo/ping.get.js': 'export default () => ({ status: 204 });' });
    expect((await mock.get('/momo/ping?apikey=wrong')).status).toBe(401);
    expect((await mock.get('/momo/ping?apikey=good')).status).toBe(204);
  });

  it('never sees the key', async () => {
    const mock = await runTree({
      'momo/ping.get.js': 'export default (...all) => ({ body: JSON.stringify(all) });',
    });
    const reply = await mock.get('/momo/ping?apikey=good', { headers: { 'x-api-key': 'good' } });
    expect(reply.status).toBe(200);
    expect(reply.body).not.toContain('good');
  });

  it('knows its account, and the time', async () => {
    const mock = await runTree(
      {
        'momo/ping.get.js': `export default (_request, { account, now }) =>
          ({ body: { account, now: now() } });`,
      },
      { API_KEYS: 'good,other=empty' },
    );
    const before = Date.now();
    const { account, now } = JSON.parse((await mock.get('/momo/ping?apikey=good')).body);
    expect(account).toEqual({ id: 'account-1', variant: null });
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
    const other = JSON.parse((await mock.get('/momo/ping?apikey=other')).body);
    expect(other.account).toEqual({ id: 'account-2', variant: 'empty' });
  });

  it.each([
    ['text/plain', '5', '5'],
    ['text/plain; x=/json', '5', '5'],
    ['application/json', '5', 5],
    ['application/x+json; charset=utf-8', '5', 5],
    ['text/plain', ' {"a":1}', { a: 1 }],
    ['text/plain', 'a {}', 'a {}'],
    ['application/x-www-form-urlencoded', 'a=1&b=c+d', { a: '1', b: 'c d' }],
    ['x-application/x-www-form-urlencoded', 'a=1', 'a=1'],
  ])('gets a body of type %s, %s, as %j', async (type, text, body) => {
    const mock = await runTree({
      'momo/pay.post.js': 'export default ({ body }) => ({ body: { body } });',
    });
    const headers = { 'content-type': type, 'content-length': text.length };
    const reply = await mock.get('/momo/pay?apikey=good', { method: 'POST', headers, body: text });
    expect(JSON.parse(reply.body)).toEqual({ body });
  });

  it.each<[string, Record<string, unknown>]>([
    ['a handler', { 'momo/pay.post.js': LENGTH }],
    [
      'one variant of several',
      {
        'momo/pay.post.json': {},
        'momo/pay.post.plain.json': {},
        'momo/pay.post.own.js': LENGTH,
      },
    ],
    ['a function', {}],
    ['a function in the place of a file', { 'momo/pay.post.json': {} }],
  ])(
    '%s gets the whole of a long body, and none that is longer than 1 MiB',
    async (_which, files) => {
      const tree = { ...files, 'momo/balance.get.own.json': {} };
      const mock = await runTree(tree, { API_KEYS: 'good=own' });
      if (!Object.values(files).includes(LENGTH)) {
        await mock.handle('POST /momo/pay', ({ rawBody }) => ({
          body: { length: rawBody.length },
        }));
      }
      // As JSON, it has quotes around it.
      const reply = await post(mock, '/momo/pay', 'x'.repeat(1_048_574));
      expect(reply).toEqual({ status: 200, body: '{"length":1048576}' });
      expect((await post(mock, '/momo/pay', 'x'.repeat(1_048_575))).status).toBe(413);
      const [, longer] = await mock.controller.requests(undefined, {});
      const hint = expect.stringContaining('(the body is too long: at most 1,024 KiB)');
      expect(longer).toMatchObject({ status: 413, reason: 'request-rejected', hint });
      expect(mock.records).toContainEqual(expect.objectContaining({ status: 413, hint }));
    },
  );

  it('is not needed for a body of any length', async () => {
    const mock = await runTree({ 'momo/pay.post.json': {} });
    expect((await post(mock, '/momo/pay', 'x'.repeat(1_048_576))).status).toBe(200);
    expect((await post(mock, '/nowhere', 'x'.repeat(1_048_576))).status).toBe(404);
  });

  it('keeps state of the account, also with many requests at once', async () => {
    const mock = await runTree({
      'momo/pay.post.js': `export default async ({ body }, { state }) => {
        const sum = await state.update('sum', (before = 0) => before + body.amount);
        return { body: { sum } };
      };`,
      'state.json': { sum: 100 },
    });
    const other = mock.controller.createAccount({});
    await Promise.all([1, 2, 3, 4].map((amount) => post(mock, '/momo/pay', { amount })));
    expect((await post(mock, '/momo/pay', { amount: 0 })).body).toBe('{"sum":110}');
    expect((await post(mock, '/momo/pay', { amount: 1 }, other)).body).toBe('{"sum":101}');
    mock.controller.reset('good');
    expect((await post(mock, '/momo/pay', { amount: 0 })).body).toBe('{"sum":100}');
  });

  it('does something later, by the clock of its account', async () => {
    const mock = await runTree({
      'momo/pay.post.js': `export default async (_request, { state, after, uuid }) => {
        const id = uuid();
        await state.set(id, 'pending');
        after(60_000, () => state.set(id, 'success'));
        return { body: { id } };
      };`,
    });
    const { body } = await post(mock, '/momo/pay', {});
    const { id } = JSON.parse(body);
    const { state, clock } = mock.mock.accounts.get('good') ?? mock.mock.service;
    expect(await state.get(id)).toBe('pending');
    await clock.advance(60_000);
    expect(await state.get(id)).toBe('success');
  });

  it('reads files of its tree', async () => {
    const mock = await runTree({
      'momo/ping.get.js': `export default async (_request, { fixture }) => {
        const phones = await fixture('momo/_phones.json');
        phones.push('changed');
        return { body: phones };
      };`,
      'momo/_phones.json': ['one'],
    });
    for (let n = 0; n < 2; n++) {
      expect((await mock.get('/momo/ping?apikey=good')).body).toBe('["one","changed"]');
    }
  });

  it('writes to the log, without keys', async () => {
    const mock = await runTree({
      'momo/ping.get.js': `export default (_request, { log }) => log.warn('a good canary');`,
    });
    await mock.get('/momo/ping?apikey=good');
    const logged = mock.records.find(({ level }) => level === 40);
    expect(logged).toMatchObject({ operation: 'GET /momo/ping', msg: 'a [redacted] canary' });
  });

  it('writes to the log at each level', async () => {
    const mock = await runTree({
      'momo/ping.get.js': `export default (_request, { log }) => {
        for (const level of ['debug', 'info', 'warn', 'error']) log[level]('by ' + level);
      };`,
    });
    await mock.get('/momo/ping?apikey=good');
    const logged = mock.records.filter(({ msg }) => `${msg}`.startsWith('by '));
    expect(logged.map(({ level, msg }) => [level, msg])).toEqual([
      [20, 'by debug'],
      [30, 'by info'],
      [40, 'by warn'],
      [50, 'by error'],
    ]);
  });

  it('is replaced by another version when its file changes; its state stays', async () => {
    const counting = (word: string) =>
      `export default async (_request, { state }) =>
        ({ body: '${word} ' + (await state.update('n', (n = 0) => n + 1)) });`;
    const mock = await runTree({ 'momo/ping.get.js': counting('old') });
    const ping = async () => (await mock.get('/momo/ping?apikey=good')).body;
    expect(await ping()).toBe('old 1');
    mock.write({ 'momo/ping.get.js': counting('new') });
    await expect.poll(ping).toMatch(/^new [23456789]/);
  });
});

describe('a scripted response', () => {
  const PAY = `let calls = 0;
    export default () => ({ body: { calls: ++calls }, headers: { 'x-from': 'handler' } });`;

  it('with a status or a body comes before the handler, which is not called', async () => {
    const mock = await runTree({ 'momo/pay.post.js': PAY });
    const operation = 'POST /momo/pay';
    await mock.controller.script(
      'good',
      [
        { operation, status: 503 },
        { operation, body: 'x' },
      ],
      'append',
    );
    expect((await post(mock, '/momo/pay', {})).status).toBe(503);
    expect(await post(mock, '/momo/pay', {})).toEqual({ status: 200, body: 'x' });
    expect((await post(mock, '/momo/pay', {})).body).toBe('{"calls":1}');
  });

  it('with a fault alone breaks the response of the handler, which was called', async () => {
    const mock = await runTree({ 'momo/pay.post.js': PAY });
    await mock.controller.script('good', { operation: 'POST /momo/pay', fault: 'reset' }, 'append');
    await expect(post(mock, '/momo/pay', {})).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await post(mock, '/momo/pay', {})).body).toBe('{"calls":2}');
  });
  it('with a delay alone adds it to that of the handler', async () => {
    const mock = await runTree({ 'momo/ping.get.js': 'export default () => ({ delay: 60 });' });
    await mock.controller.script('good', { operation: 'GET /momo/ping', delay: 60 }, 'append');
    const began = performance.now();
    expect((await mock.get('/momo/ping?apikey=good')).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(118);
  });
});

it.each([
  ['the service', undefined, { beforeKeyCheck: true }, 'wrong'],
  ['an account', 'good', {}, 'good'],
])('an error scripted for %s has the body that its handler makes', async (_of, of, more, key) => {
  const mock = await runTree({
    'errors/503.js': `export default ({ reason, path }) =>
      ({ headers: { 'x-from': 'handler' }, body: { reason, path } });`,
  });
  const script = { status: 503, headers: { 'retry-after': '1' }, ...more };
  await mock.controller.script(of, script, 'append');
  const reply = await mock.get(`/momo/balance?apikey=${key}`);
  expect([reply.status, reply.body]).toEqual([503, '{"reason":null,"path":"/momo/balance"}']);
  expect(reply.headers).toMatchObject({ 'x-from': 'handler', 'retry-after': '1' });
});

it('a scripted error with a body of its own keeps it', async () => {
  const mock = await runTree({ 'errors/400.js': 'export default () => ({ body: 1 });' });
  await mock.controller.script(
    undefined,
    [{ status: 400, body: { own: true } }, { status: 400 }],
    'append',
  );
  const bodies = [await mock.get(BALANCE_URL), await mock.get(BALANCE_URL)].map(({ body }) => body);
  expect(bodies).toEqual(['{"own":true}', '1']);
});

it('a variant without status and body changes what the handler of the default answers', async () => {
  const mock = await runTree(
    {
      'momo/balance.get.js': 'export default () => ({ status: 202, body: { made: true } });',
      'momo/balance.get.marked.response.json': { headers: { 'x-variant': 'marked' } },
      'momo/balance.get.other.response.json': { status: 503, body: {} },
    },
    { API_KEYS: 'good=marked,other=other' },
  );
  const marked = await mock.get(BALANCE_URL);
  expect(marked).toMatchObject({ status: 202, body: '{"made":true}' });
  expect(marked.headers['x-variant']).toBe('marked');
  expect(await mock.get('/momo/balance?apikey=other')).toMatchObject({ status: 503, body: '{}' });
  const [first] = await mock.controller.requests(undefined, {});
  expect(first).toMatchObject({ source: 'handler', variant: 'marked' });
});

it('a response scripted for before the key check never calls a handler', async () => {
  const mock = await runTree({
    'momo/balance.get.js': 'globalThis.calls = 0; export default () => ({ body: ++calls });',
  });
  const headers = { 'x-early': '1' };
  await mock.controller.script(undefined, { headers, beforeKeyCheck: true, times: 2 }, 'append');
  for (const target of ['/momo/balance', BALANCE_URL]) {
    const reply = await mock.get(target);
    expect(reply).toMatchObject({ status: 200, body: '' });
    expect(reply.headers['x-early']).toBe('1');
  }
  const [early] = await mock.controller.requests(undefined, {});
  expect(early).toMatchObject({ source: 'script', account: null });
  expect((await mock.get(BALANCE_URL)).body).toBe('1');
});

describe('a handler that fails', () => {
  it.each([
    [
      'throws',
      `export default () => { throw new TypeError('canary'); };`,
      /momo\/a\.get\.js:1:\d+: it threw a TypeError/,
    ],
    [
      'throws no error',
      `export default () => { throw 'canary'; };`,
      /a\.get\.js: it threw a string/,
    ],
    [
      'throws another error',
      `export default () => { throw new Error('canary'); };`,
      /a\.get\.js:1:\d+: it threw an Error/,
    ],
    ['returns null', 'export default () => null;', /a\.get\.js: /],
    ['returns no response', `export default () => ({ staus: 200 });`, /a\.get\.js: .*staus/],
    [
      'returns a body that is no JSON',
      'export default () => ({ body: 1n });',
      /a\.get\.js: .*body/,
    ],
    [
      'returns a body without an end',
      'const body = {}; body.body = body; export default () => ({ body });',
      /a\.get\.js: .*body/,
    ],
    ['returns a wrong status', 'export default () => ({ status: 99 });', /status.* 200 to 599/],
    [
      'returns a wrong duration',
      `export default () => ({ fault: { type: 'dribble', duration: -1 } });`,
      /fault\.duration: [^.]+\. Correct it/,
    ],
    ['returns a list', 'export default () => [];', /a\.get\.js: /],
    ['returns a text', `export default () => 'canary';`, /a\.get\.js: /],
    [
      'rejects',
      `export default async () => { await null; null.canary; };`,
      /a\.get\.js:1:\d+: it threw a TypeError/,
    ],
  ])('since it %s is a 500, and the log has the place', async (_what, code, logged) => {
    const mock = await runTree({ 'momo/a.get.js': code, 'errors/500.json': { broken: true } });
    const reply = await mock.get('/momo/a?apikey=good');
    expect([reply.status, reply.body]).toEqual([500, '{"broken":true}']);
    const [entry] = await mock.controller.requests(undefined, {});
    expect(entry).toMatchObject({ reason: 'handler-failed', source: 'error', status: 500 });
    expect(entry?.hint).toContain('a.get.js');
    const line = mock.records.find(({ level }) => level === 50);
    expect(line).toMatchObject({ account: 'account-1', msg: expect.stringMatching(logged) });
    expect(JSON.stringify([entry, mock.records])).not.toContain('canary');
  });

  it('since its body breaks the schema is a 500', async () => {
    const mock = await runTree({
      'momo/a.get.js': `export default () => ({ body: { n: 'canary' } });`,
      'momo/a.get.schema.json': { properties: { n: { type: 'number' } } },
    });
    expect((await mock.get('/momo/a?apikey=good')).status).toBe(500);
    expect(mock.records.find(({ level }) => level === 50)?.msg).toContain('/n must be number');
    expect(JSON.stringify(mock.records)).not.toContain('canary');
  });

  it.each([300, 404])(
    'is not one whose status is %i and whose body breaks the schema',
    async (status) => {
      const mock = await runTree({
        'momo/a.get.js': `export default () => ({ status: ${status}, body: { n: 'text' } });`,
        'momo/a.get.schema.json': { properties: { n: { type: 'number' } } },
      });
      const reply = await mock.get('/momo/a?apikey=good');
      expect([reply.status, reply.body]).toEqual([status, '{"n":"text"}']);
    },
  );

  it('and is that of an error is a 500 without a body', async () => {
    const mock = await runTree({
      'errors/404.js': `export default () => { throw new Error('canary'); };`,
    });
    const reply = await mock.get('/nowhere?apikey=good');
    expect([reply.status, reply.body]).toEqual([500, '']);
    const line = mock.records.find(({ level }) => level === 50);
    expect(line?.msg).toMatch(/errors\/404\.js:1:\d+: it threw an Error/);
  });

  it('since it takes too long is a 500', async () => {
    const mock = await runTree(
      { 'momo/a.get.js': 'export default () => new Promise(() => {});' },
      { CLIENT_TIMEOUT: '200' },
    );
    expect((await mock.get('/momo/a?apikey=good')).status).toBe(500);
    expect(mock.records.find(({ level }) => level === 50)?.msg).toContain('longer than 200 ms');
  });
});

describe('a request schema', () => {
  const SCHEMA = {
    properties: {
      body: { required: ['amount'], properties: { amount: { type: 'number', minimum: 1 } } },
    },
  };

  it('lets a handler alone with what violates it: errors/400, with the place', async () => {
    const mock = await runTree({
      'momo/pay.post.js': 'export default () => ({ status: 201 });',
      'momo/pay.post.request.schema.json': SCHEMA,
    });
    expect((await post(mock, '/momo/pay', { amount: 2 })).status).toBe(201);
    expect((await post(mock, '/momo/pay', { amount: 'canary' })).status).toBe(400);
    const [, entry] = await mock.controller.requests(undefined, {});
    expect(entry).toMatchObject({ status: 400, reason: 'request-rejected' });
    expect(entry?.hint).toContain('body.amount');
    const logged = mock.records.find(({ reason }) => reason === 'request-rejected');
    expect(logged?.hint).toContain('body.amount');
    expect(JSON.stringify(mock.records)).not.toContain('canary');
  });

  it('names places in lists without their numbers, each once, and no names of the client', async () => {
    const items = {
      items: { properties: { amount: { type: 'number' } }, additionalProperties: false },
    };
    const mock = await runTree({
      'momo/pay.post.json': {},
      'momo/pay.post.request.schema.json': {
        properties: { body: { properties: { list: items } } },
      },
    });
    const list = Array.from({ length: 12 }, () => ({ amount: 'x' }));
    await post(mock, '/momo/pay', { list: [...list, { 'a canary': 1 }] });
    const [entry] = await mock.controller.requests(undefined, {});
    expect(entry?.hint).toMatch(/body\.list\.amount, body\.list\.…(?!.*body)/);
    expect(JSON.stringify([entry?.hint, mock.records])).not.toContain('canary');
  });

  it('guards an operation that is a file, too; the key check comes first', async () => {
    const mock = await runTree({
      'momo/pay.post.json': { ok: true },
      'momo/pay.post.request.schema.json': SCHEMA,
    });
    expect((await post(mock, '/momo/pay', {}, 'wrong')).status).toBe(401);
    expect((await post(mock, '/momo/pay', {})).status).toBe(400);
    expect((await post(mock, '/momo/pay', { amount: 3 })).body).toBe('{"ok":true}');
  });

  it('checks the whole of a body that is longer than the journal keeps', async () => {
    const mock = await runTree({
      'momo/pay.post.json': {},
      'momo/pay.post.request.schema.json': SCHEMA,
    });
    const more = 'x'.repeat(100_000);
    expect((await post(mock, '/momo/pay', { more, amount: 1 })).status).toBe(200);
    expect((await post(mock, '/momo/pay', { more, amount: 0 })).status).toBe(400);
  });

  it('tells a handler of the error what is wrong', async () => {
    const mock = await runTree({
      'momo/pay.post.json': {},
      'momo/pay.post.request.schema.json': SCHEMA,
      'errors/400.js': 'export default ({ reason, problems }) => ({ body: { reason, problems } });',
    });
    const { status, body } = await post(mock, '/momo/pay', { amount: 0 });
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({
      reason: 'request-rejected',
      problems: [{ path: 'body.amount', message: expect.stringContaining('>= 1') }],
    });
  });
});

it('a handler of 401 answers without an account', async () => {
  const mock = await runTree({
    'errors/401.js': 'export default ({ reason }) => ({ body: { reason } });',
  });
  const reply = await mock.get('/momo/balance?apikey=wrong');
  expect([reply.status, reply.body]).toEqual([401, '{"reason":"key-unknown"}']);
});

it('what a handler sets for later and that fails is logged with its place', async () => {
  const mock = await runTree({
    'momo/pay.post.js': `export default (_request, { after }) => {
      after(1000, () => { throw new RangeError('canary'); });
    };`,
  });
  await post(mock, '/momo/pay', {});
  const { clock } = mock.mock.accounts.get('good') ?? mock.mock.service;
  const place = /momo\/pay\.post\.js:2:\d+/;
  await expect(clock.advance(1000)).rejects.toMatchObject({
    code: 'MOMO_MOCK_TIMER_FAILED',
    message: expect.stringMatching(place),
  });
  expect(mock.records.find(({ level }) => level === 50)?.msg).toMatch(place);
  expect(JSON.stringify(mock.records)).not.toContain('canary');
});
