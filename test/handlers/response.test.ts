import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import type { Files } from '../support/fixture-folder.ts';
import { type LoggedMock, sharedLogged, startLogged, startMock } from '../support/mock.ts';
import { openConnection } from '../support/raw-connection.ts';

/** Code that handlers return, and the status and the body that are sent. */
const RETURNED: readonly (readonly [what: string, code: string, status: number, body: string])[] = [
  ['nothing', '{}.nothing', 200, ''],
  ['a status', '{ status: 201 }', 201, ''],
  ['an error status without a body', '{ status: 404 }', 404, '{"gone":true}'],
  ['an error status with a body', '{ status: 404, body: 1 }', 404, '1'],
  ['a text as the body', "{ body: 'text' }", 200, 'text'],
  ['a promise', 'Promise.resolve({ body: 1 })', 200, '1'],
  ['one of another context', "vm.runInNewContext('({ body: 1 })')", 200, '1'],
  ['a date as the body', '{ body: new Date(0) }', 200, '"1970-01-01T00:00:00.000Z"'],
  ['an instance', '{ body: new (class Money { amount = 5; })() }', 200, '{"amount":5}'],
  ['one with toJSON', '{ body: new (class { toJSON() { return {}; } })() }', 200, '{}'],
  ['an empty object', '{ body: {} }', 200, '{}'],
  ['null as the body', '{ body: null }', 200, 'null'],
];

const MAY_RETURN =
  'must be a plain object with some of status, headers, body, delay, fault, webhook, reason, hint, or nothing';
const AS_JSON = 'body: must be a value that can be written as JSON';

/** Code that handlers return by mistake, and what the log says of it. */
const REFUSED: readonly (readonly [code: string, words: string | RegExp])[] = [
  ...[
    ...["new Response('canary')", "new Map([['status', 201]])", "Buffer.from('canary')", 'null'],
    ...['new (class Reply { status = 201; })()', '[{ status: 201 }]', "'canary'", '() => ({})'],
  ].map((code) => [code, MAY_RETURN] as const),
  ["{ headers: new Headers({ a: 'canary' }) }", 'headers: must be a plain object'],
  ["{ fault: new Map([['type', 'reset']]) }", 'fault: must be a plain object'],
  ['{ body: new Map([["a", 1]]) }', AS_JSON],
  ['{ body: Promise.resolve(1) }', AS_JSON],
  ["{ body: new Error('canary') }", AS_JSON],
  ['{ body: (() => { const all = {}; all.all = all; return all; })() }', AS_JSON],
  ['{ status: 99 }', /status.* 200 to 599/],
  ["{ fault: { type: 'dribble', duration: -1 } }", /fault\.duration: [^.]+\. Correct it/],
  ['{ staus: 201 }', 'nknown field \\"staus\\". Did you mean \\"status\\"?'],
  ["{ reason: 'wrong-pin' }", 'reason: must be left out with a status below 400'],
  ["{ status: 402, hint: 'a' }", 'hint: needs a reason'],
  ...["'Wrong PIN'", "'key-mising'", "'a'.repeat(65)", '5'].map(
    (reason) =>
      [`{ status: 402, reason: ${reason} }`, 'reason: must be one of key-missing, '] as const,
  ),
  ...["'two\\nlines'", "'a'.repeat(301)"].map(
    (hint) =>
      [`{ status: 402, reason: 'a', hint: ${hint} }`, 'hint: must be one line of at most'] as const,
  ),
];

/** Expressions for what a handler may throw or return by mistake, whose every use may throw too. */
const ODD = {
  'a proxy that throws itself': 'allTraps(function trap() { throw odd; })',
  'a revoked proxy': 'revoked()',
  'an error whose parts are getters that throw': `Object.defineProperties(new Error('canary'),
    Object.fromEntries(['stack', 'name', 'message'].map((name) =>
      [name, { get() { throw 'canary'; } }])))`,
  'an error with a stack and a message of no text':
    "Object.assign(new Error('canary'), { stack: 5, message: 5 })",
  'an error that is named by a value': "Object.assign(new Error(), { name: 'a canary' })",
  'a symbol': "Symbol('canary')",
  'a thenable whose then is a getter that throws': "{ get then() { throw 'canary'; } }",
  'a thenable that rejects with a symbol': "{ then(_, no) { no(Symbol('canary')); } }",
  null: 'null',
};

/** What a handler does with something odd. */
const FAILS = {
  throws: 'export default () => { throw odd; };',
  'throws-later': 'export default async () => { await null; throw odd; };',
  returns: 'export default () => odd;',
  'returns-later': 'export default async () => odd;',
  headers: 'export default () => ({ headers: odd });',
  fault: 'export default () => ({ fault: odd });',
};

/** Has a module begin with what the expressions use. */
const moduleOf = (code: string, odd: string) => `
  const TRAPS = Object.getOwnPropertyNames(Reflect);
  const allTraps = (trap) => new Proxy({}, Object.fromEntries(TRAPS.map((name) => [name, trap])));
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const odd = ${odd};
  ${code}`;

/** Files by the place of what they are of in a list. */
function filesOf<Row>(rows: readonly Row[], file: (row: Row, at: number) => Files): Files {
  return Object.assign({}, ...rows.map(file));
}

/** Expects that a handler fails, and gives what the log says of it, which tells no value. */
async function failureOf(mock: LoggedMock, path: string): Promise<string> {
  const before = mock.records.length;
  expect(await ask(mock, path)).toMatchObject({ status: 500, text: '{"broken":true}' });
  const [entry] = await mock.requests({ limit: 1 });
  expect(entry).toMatchObject({ status: 500, reason: 'handler-failed', source: 'error' });
  expect(entry?.hint).toContain(`${path}.get.js`);
  const records = mock.records.slice(before);
  expect(JSON.stringify([entry, records])).not.toContain('canary');
  const [failed, ...others] = records.filter(({ level }) => Number(level) >= 50);
  expect(others).toEqual([]);
  expect(failed).toMatchObject({ account: entry?.account });
  return JSON.stringify(failed);
}

describe('a handler may return', () => {
  const mock = sharedLogged({
    'errors/404.json': { gone: true },
    ...filesOf(RETURNED, ([, code], at) => ({
      [`ok/${at}.get.js`]: `import vm from 'node:vm'; export default () => (${code});`,
    })),
  });

  it.each(RETURNED.map((row, at) => [...row, at] as const))(
    '%s: %s',
    async (_what, _code, status, text, at) => {
      expect(await ask(mock(), `/ok/${at}`)).toMatchObject({ status, text });
    },
  );
});

it.each([
  ["Buffer.from('00ff41', 'hex')", '00ff41'],
  ["Buffer.from('x00ff41', 'latin1').subarray(1)", '303066663431'],
  ['new Uint8Array([0, 255, 65])', '00ff41'],
  ['new Uint16Array([65])', '4100'],
  ["vm.runInNewContext('new Uint8Array([65])')", '41'],
  ['new Uint8Array()', ''],
])('a handler may return bytes as the body, which are sent: %s', async (code, hex) => {
  const mock = await startMock({
    'momo/pdf.get.js': `import vm from 'node:vm'; export default () => ({ body: ${code} });`,
    'momo/own.get.js': `import vm from 'node:vm';
      export default () => ({ headers: { 'Content-Type': 'image/png' }, body: ${code} });`,
    'errors/404.js': `import vm from 'node:vm'; export default () => ({ body: ${code} });`,
  });
  for (const [path, type] of [
    ['/momo/pdf', 'application/octet-stream'],
    ['/momo/own', 'image/png'],
    ['/none', 'application/octet-stream'],
  ] as const) {
    const client = await openConnection(mock);
    const target = `${path}?apikey=${mock.apiKey}`;
    client.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await once(client, 'end');
    const [sent = '', body = ''] = client.received().split('\r\n\r\n');
    expect(sent).toContain(`\r\ncontent-type: ${type}\r\n`);
    expect(Buffer.from(body, 'latin1').toString('hex')).toBe(hex);
  }
});

it('a handler may use the memory of its bytes again', async () => {
  const mock = await startMock({
    'momo/pdf.get.js': `const bytes = Buffer.from('old');
      export default () => {
        setImmediate(() => bytes.write('new'));
        return { delay: 50, body: bytes };
      };`,
  });
  expect((await ask(mock, '/momo/pdf')).text).toBe('old');
});

describe('a handler fails', () => {
  const mock = sharedLogged({
    'errors/500.json': { broken: true },
    'errors/405.js': "export default () => { throw new Error('canary'); };",
    'typed.get.js': "export default () => { throw new TypeError('canary'); };",
    'rejects.get.js': 'export default async () => { await null; null.canary; };',
    'text.get.js': "export default () => { throw 'canary'; };",
    'schema.get.js':
      "export default ({ query }) => ({ status: Number(query.status), body: { n: 'canary' } });",
    'schema.get.schema.json': { properties: { n: { type: 'number' } } },
    ...filesOf(REFUSED, ([code], at) => ({
      [`no/${at}.get.js`]: `export default () => (${code});`,
    })),
    ...filesOf(Object.values(ODD), (odd, at) =>
      filesOf(Object.entries(FAILS), ([how, code]) => ({
        [`odd/${at}/${how}.get.js`]: moduleOf(code, odd),
      })),
    ),
  });

  it.each(REFUSED.map((row, at) => [...row, at] as const))(
    'that returns %s, and the log says why: %s',
    async (_code, words, at) => {
      const logged = await failureOf(mock(), `/no/${at}`);
      expect(logged).toContain('Failed to run the handler at ');
      if (typeof words === 'string') expect(logged).toContain(words);
      else expect(logged).toMatch(words);
    },
  );

  it.each(Object.keys(ODD).map((what, at) => [what, at] as const))(
    'that throws %s, returns it, or has it in its response',
    async (_what, at) => {
      for (const how of Object.keys(FAILS)) await failureOf(mock(), `/odd/${at}/${how}`);
    },
  );

  it.each([
    ['/typed', /typed\.get\.js:1:\d+: it threw a TypeError\. Correct it/],
    ['/rejects', /rejects\.get\.js:1:\d+: it threw a TypeError\./],
    ['/text', /text\.get\.js: it threw a string\./],
  ])('with its position in the log, if it has one: %s', async (path, words) => {
    expect(await failureOf(mock(), path)).toMatch(words);
  });

  it.each([
    [200, 500],
    [299, 500],
    [300, 300],
    [404, 404],
  ])(
    'whose body breaks the schema with the status %i, and the client gets a %i',
    async (status, sent) => {
      expect((await ask(mock(), `/schema?status=${status}`)).status).toBe(sent);
      if (sent === 500) expect(mock().logged()).toContain('/n must be number');
      expect(mock().logged()).not.toContain('canary');
    },
  );

  it('for an error, and the client gets a 500 without a body', async () => {
    const response = await ask(mock(), '/typed', { method: 'POST' });
    expect(response).toMatchObject({ status: 500, text: '' });
    expect(mock().logged()).toMatch(/errors\/405\.js:1:\d+: it threw an Error/);
  });
});

it.each(Object.entries(ODD))(
  'a timer, an error handler and a module may throw %s',
  async (_what, odd) => {
    const mock = await startLogged({
      'errors/404.js': moduleOf('export default () => { throw odd; };', odd),
      'later.get.js': moduleOf(
        `export default (_request, { after }) => {
        after(600_000, () => { throw odd; });
        after(600_001, async () => { throw odd; });
      };`,
        odd,
      ),
    });
    await mock.freeze();
    expect((await ask(mock, '/later')).status).toBe(200);
    await expect(mock.advance(600_001)).rejects.toMatchObject({
      code: 'MOMO_MOCK_TIMER_FAILED',
      message: expect.stringContaining('2 timers failed, one at '),
    });
    expect(await ask(mock, '/nowhere')).toMatchObject({ status: 500, text: '' });
    expect(mock.records.filter(({ level }) => level === 50)).toHaveLength(3);
    expect(mock.logged()).not.toContain('canary');
    const loaded = moduleOf('throw odd; export default () => {};', odd);
    await expect(startMock({ 'a.get.js': loaded })).rejects.toMatchObject({
      code: 'MOMO_MOCK_FIXTURE_INVALID',
      message: expect.stringMatching(/a\.get\.js.*: it throws while it is loaded \(/),
    });
  },
);

it('a handler whose promise never settles, or is not a real promise, times out', async () => {
  const files = {
    'a.get.js': 'export default () => new Promise(() => {});',
    'b.get.js': 'export default () => ({ then() {} });',
    'errors/500.json': { broken: true },
  };
  // Longer than a handshake takes, which it limits too.
  const CLIENT_TIMEOUT = '5000';
  const failures = ['/a', '/b'].map(async (path) =>
    failureOf(await startLogged(files, { CLIENT_TIMEOUT }), path),
  );
  const words = 'it took longer than 5000 ms, which is MOMO_MOCK_CLIENT_TIMEOUT';
  for (const failure of await Promise.all(failures)) expect(failure).toContain(words);
});
