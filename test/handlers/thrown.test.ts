import { describe, expect, it, onTestFinished } from 'vitest';
import { get } from '../library/client.ts';
import { startMomoMock } from '../support/momo-mock.ts';
import { runTree } from './run-tree.ts';

/** Expressions for what a handler may throw or return by mistake, whose every use may throw too. */
const ODD: readonly (readonly [what: string, code: string])[] = [
  ['a proxy that throws a text', 'allTraps(() => { throw "canary"; })'],
  ['a proxy that throws itself', 'allTraps(function trap() { throw odd; })'],
  ['a revoked proxy', 'revoked()'],
  [
    'an error whose stack is a number',
    "Object.assign(new Error('canary'), { stack: 5, message: 5 })",
  ],
  [
    'an error whose stack is a getter that throws',
    "Object.defineProperty(new Error('canary'), 'stack', { get() { throw 'canary'; } })",
  ],
  [
    'an error whose name and message are getters that throw',
    `Object.defineProperties(new Error('canary'), {
      name: { get() { throw 'canary'; } }, message: { get() { throw 'canary'; } } })`,
  ],
  ['an error that is named by a value', "Object.assign(new Error(), { name: 'a canary' })"],
  ['a symbol', "Symbol('canary')"],
  ['an object without a prototype', 'Object.assign(Object.create(null), { odd: 5 })'],
  ['a thenable that throws', "{ then() { throw 'canary'; } }"],
  ['a thenable whose then is a getter that throws', "{ get then() { throw 'canary'; } }"],
  ['a thenable that rejects with a symbol', "{ then(_, no) { no(Symbol('canary')); } }"],
  ['null', 'null'],
  ['a function', '() => {}'],
];

/** Has a module begin with what the expressions use. */
const module = (code: string, odd: string) => `
  const TRAPS = Object.getOwnPropertyNames(Reflect);
  const allTraps = (trap) => new Proxy({}, Object.fromEntries(TRAPS.map((name) => [name, trap])));
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const odd = ${odd};
  ${code}`;

/** Asks for `/momo/a`, and expects that it failed, with a line of the log that tells no value. */
async function expectFailed(mock: Awaited<ReturnType<typeof runTree>>) {
  const reply = await mock.get('/momo/a?apikey=good');
  expect([reply.status, reply.body]).toEqual([500, '{"broken":true}']);
  const [entry] = await mock.controller.requests(undefined, {});
  expect(entry).toMatchObject({ status: 500, reason: 'handler-failed', source: 'error' });
  const line = mock.records.find(({ level }) => level === 50);
  expect(line?.msg).toMatch(/^Failed to run the handler at .*a\.get\.js/);
  expect(JSON.stringify([entry, mock.records])).not.toContain('canary');
  return line?.msg;
}

/** A tree with this handler. */
const treeOf = (code: string, odd = 'undefined') =>
  runTree({ 'momo/a.get.js': module(code, odd), 'errors/500.json': { broken: true } });

describe.each(ODD)('%s', (_what, odd) => {
  it.each([
    ['thrown', 'export default () => { throw odd; };'],
    ['thrown later', 'export default async () => { await null; throw odd; };'],
    ['returned', 'export default () => odd;'],
    ['returned later', 'export default async () => odd;'],
    ['the headers', 'export default () => ({ headers: odd });'],
    ['the fault', 'export default () => ({ fault: odd });'],
  ])('is a handler that failed: %s', async (_how, code) => {
    await expectFailed(await treeOf(code, odd));
  });

  it('is a timer that failed', async () => {
    const code = `export default (_request, { after }) => {
      after(600_000, () => { throw odd; });
      after(600_001, async () => { throw odd; });
    };`;
    const mock = await treeOf(code, odd);
    await mock.controller.changeClock('good', { freeze: true });
    expect((await mock.get('/momo/a?apikey=good')).status).toBe(200);
    await expect(mock.controller.changeClock('good', { advance: 600_001 })).rejects.toMatchObject({
      code: 'MOMO_MOCK_TIMER_FAILED',
      message: expect.stringContaining('2 timers threw errors'),
    });
    expect(mock.records.filter(({ level }) => level === 50)).toHaveLength(2);
    expect(JSON.stringify(mock.records)).not.toContain('canary');
  });

  it('that a handler of an error throws is a 500 without a body', async () => {
    const code = module('export default () => { throw odd; };', odd);
    const mock = await runTree({ 'errors/404.js': code });
    const { status, body } = await mock.get('/nowhere?apikey=good');
    expect([status, body]).toEqual([500, '']);
  });

  it('that a module throws while it is loaded is a problem of that file', async () => {
    const started = treeOf('throw odd; export default () => {};', odd);
    await expect(started).rejects.toMatchObject({
      code: 'MOMO_MOCK_FIXTURE_INVALID',
      message: expect.stringMatching(/a\.get\.js.*: it throws while it is loaded \(/),
    });
  });

  it('fails in process as well', async () => {
    const mock = await startMomoMock();
    onTestFinished(() => mock.close());
    const makeOdd = new Function(module('return odd;', odd)) as () => never;
    const made = makeOdd();
    await mock.handle('GET /momo/thrown', () => {
      throw made;
    });
    await mock.handle('GET /momo/returned', () => made);
    for (const path of ['/momo/thrown', '/momo/returned']) {
      expect((await get(mock, path)).status).toBe(500);
    }
    const entries = await mock.requests();
    expect(entries.map(({ reason }) => reason)).toEqual(['handler-failed', 'handler-failed']);
  });
});

it('a thenable that never settles is a handler that took too long', async () => {
  const mock = await runTree(
    { 'momo/a.get.js': 'export default () => ({ then() {} });', 'errors/500.json': {} },
    { CLIENT_TIMEOUT: '1000' },
  );
  expect((await mock.get('/momo/a?apikey=good')).status).toBe(500);
  const line = mock.records.find(({ level }) => level === 50);
  expect(line?.msg).toContain('it took longer than 1000 ms, which is MOMO_MOCK_CLIENT_TIMEOUT');
});

const WORDS = 'must be a plain object with some of status, headers, body, delay, fault, or nothing';

it.each([
  ['a Response', "new Response('canary')"],
  ['an Error', "new Error('canary')"],
  ['a Map', "new Map([['status', 201]])"],
  ['a Set', 'new Set([1])'],
  ['a Date', 'new Date()'],
  ['a Buffer', "Buffer.from('canary')"],
  ['a typed array', 'new Float64Array(2)'],
  ['an ArrayBuffer', 'new ArrayBuffer(2)'],
  ['an instance of a class', 'new (class Reply { status = 201; })()'],
  ['null', 'null'],
  ['a list', '[{ status: 201 }]'],
  ['a text', "'canary'"],
  ['a number', '201'],
  ['true', 'true'],
  ['a symbol', 'Symbol()'],
  ['a function', '() => ({})'],
])('%s that is returned is an error that says what a handler may return', async (_what, odd) => {
  for (const code of ['export default () => odd;', 'export default async () => odd;']) {
    expect(await expectFailed(await treeOf(code, odd))).toContain(WORDS);
  }
});

it.each([
  ['headers: new Headers({ a: "canary" })', 'headers: must be a plain object'],
  ['headers: new Map([["a", "canary"]])', 'headers: must be a plain object'],
  ['fault: new Map([["type", "reset"]])', 'fault: must be a plain object'],
  ['body: new Map([["a", 1]])', 'body: must be a value that can be written as JSON'],
  ['body: new Set([1])', 'body: must be a value that can be written as JSON'],
  ['body: Promise.resolve(1)', 'body: must be a value that can be written as JSON'],
  ['body: new Error("canary")', 'body: must be a value that can be written as JSON'],
])('{ %s } is an error that names the field', async (field, words) => {
  expect(await expectFailed(await treeOf(`export default () => ({ ${field} });`))).toContain(words);
});

it.each([
  ['a date', 'new Date(0)', '"1970-01-01T00:00:00.000Z"'],
  ['an instance with fields', 'new (class Money { amount = 5; })()', '{"amount":5}'],
  ['one with toJSON', 'new (class { toJSON() { return {}; } })()', '{}'],
  ['an empty object', '{}', '{}'],
  ['an empty object without a prototype', 'Object.create(null)', '{}'],
  ['an empty list', '[]', '[]'],
])('a body that is %s is sent as its JSON', async (_what, body, sent) => {
  const mock = await treeOf(`export default () => ({ body: ${body} });`);
  const reply = await mock.get('/momo/a?apikey=good');
  expect([reply.status, reply.body]).toEqual([200, sent]);
});

it.each([
  ['an object without a prototype', 'Object.assign(Object.create(null), { status: 201 })'],
  ['one of another context', "(await import('node:vm')).runInNewContext('({ status: 201 })')"],
])('%s may be returned', async (_what, code) => {
  const mock = await treeOf(`export default async () => (${code});`);
  expect((await mock.get('/momo/a?apikey=good')).status).toBe(201);
});
