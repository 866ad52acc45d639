import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { installedPackage, putBeside, toolOf } from './installed.ts';

// It packs and installs the package and runs vitest in it, which takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

interface Result {
  readonly title: string;
  readonly status: string;
  readonly failureMessages: string[];
}

const parent = temporaryFolder(afterAll);
let folder: string;
let results: Map<string, Record<string, string>>;
let output: string;

// In one run, since vitest takes longer to start than its tests do.
beforeAll(async () => {
  const project = await installedPackage(parent);
  folder = project.folder;
  putBeside(project, 'vitest');
  project.write('client.js', CLIENT);
  project.write('strict.test.js', STRICT);
  for (const file of ['a', 'b']) {
    project.write(`${file}.test.js`, CONCURRENT.replaceAll('FILE', file));
  }
  project.write('own.test.js', OWN_MOCK);
  project.write('options.test.js', OPTIONS);
  project.write('lines.test.js', LINES);
  project.write('drill.test.js', DRILL);
  const report = join(project.folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const flags = ['run', '--root', '.', '--testTimeout=60000', ...reporters];
  const failed = await project.node(toolOf('vitest/vitest.mjs'), ...flags).catch((error) => error);
  output = stripVTControlCharacters(failed.stderr);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  results = new Map(
    testResults.map(({ name, assertionResults }: { name: string; assertionResults: Result[] }) => [
      basename(name, '.test.js'),
      Object.fromEntries(assertionResults.map(outcomeOf)),
    ]),
  );
});

/** The name of a test, and `passed` or why it failed. */
function outcomeOf({ title, status, failureMessages }: Result): [string, string] {
  return [title, status === 'passed' ? 'passed' : String(failureMessages)];
}

const CLIENT = `
import { once } from 'node:events';
import { get } from 'node:https';
import { json } from 'node:stream/consumers';
export async function getBalance({ url, apiKey, ca }) {
  const target = url + '/momo/balance?apikey=' + apiKey;
  const [incoming] = await once(get(target, { ca, agent: false }), 'response');
  return { status: incoming.statusCode, body: await json(incoming) };
}`;

/** As many tests as vitest runs at once, which all meet before they look at what they received. */
const CONCURRENT = `
import { test } from 'momo-mock/vitest';
import { describe } from 'vitest';
import { getBalance } from './client.js';
const seen = new Set();
const mocks = new Set();
const numbers = Array.from({ length: 5 }, (_none, index) => index);
function meeting() {
  let there = 0;
  let open;
  const all = new Promise((done) => { open = done; });
  return async () => {
    if (++there === numbers.length) open();
    await all;
  };
}
const asked = meeting();
const handled = meeting();
describe.concurrent('at once', () => {
  for (const index of numbers) {
    test('worker FILE, account ' + index, async ({ momo, momoMock, expect }) => {
      await momo.setBalance({ index });
      for (let i = 0; i <= index; i++) await getBalance(momo);
      seen.add(momo.apiKey);
      mocks.add(momoMock);
      await asked();
      await momo.respondWith({ status: 503 });
      expect(await momo.requests()).toHaveLength(index + 1);
      expect(await getBalance(momo)).toMatchObject({ status: 503 });
      expect(await getBalance(momo)).toEqual({ status: 200, body: { index } });
      expect([seen.size, mocks.size]).toEqual([numbers.length, 1]);
      await momo.clearBalance();
      await momo.handle('GET /momo/balance', () => ({ body: { handledBy: index } }));
      await handled();
      expect(await getBalance(momo)).toEqual({ status: 200, body: { handledBy: index } });
    });
  }
});
test('worker FILE, afterwards', async ({ momoMock, expect }) => {
  expect(await momoMock.requests()).toEqual([]);
  for (const apiKey of seen) {
    expect(await getBalance({ ...momoMock, apiKey })).toMatchObject({ status: 401 });
  }
});
`;

const OWN_MOCK = `
import { writeFileSync } from 'node:fs';
import { startMomoMock } from 'momo-mock';
import { testWith } from 'momo-mock/vitest';
import { getBalance } from './client.js';
const test = testWith(async () => {
  const mock = await startMomoMock({ variant: 'empty' });
  const close = async () => {
    await mock.close();
    writeFileSync('closed', '');
  };
  return { ...mock, close };
});
test('a mock of its own', async ({ momo, expect }) => {
  expect(await getBalance(momo)).toMatchObject({ body: { balance: [] } });
});
test('a test that fails', async ({ momo, expect }) => {
  expect(await getBalance(momo)).toMatchObject({ status: 401 });
});
test('the test after it', async ({ momo, expect }) => {
  expect(await momo.requests()).toEqual([]);
});
const strict = testWith({ open: () => startMomoMock(), strict: true });
strict('a wrong key to a mock that others may use', async ({ momo }) => {
  await getBalance({ ...momo, apiKey: 'wrong' });
});
strict('a path that is unknown to it', async ({ momo }) => {
  await getBalance({ ...momo, url: momo.url + '/x' });
});
`;

const STRICT = `
import { testWith } from 'momo-mock/vitest';
import { describe, expect as plain } from 'vitest';
import { getBalance } from './client.js';
const test = testWith({ strict: true });
const unknown = (momo) => getBalance({ ...momo, url: momo.url + '/x' });
const wrong = (momo) => getBalance({ ...momo, apiKey: 'wrong' });
test('all is as expected', async ({ momo, expect }) => {
  await momo.respondWith([{ status: 503 }, { status: 200, times: 'always' }]);
  await getBalance(momo);
  await getBalance(momo);
  await expect(momo).toHaveReceived([{ status: 503 }, { status: 200 }]);
  await plain(momo).not.toHaveReceived({ times: 3 });
});
test('a script is left', async ({ momo }) => {
  await momo.respondWith({ status: 503, times: 2 });
  await getBalance(momo);
});
test('an unknown path', async ({ momo }) => { await unknown(momo); });
test('an unknown path that is verified', async ({ momo }) => {
  await unknown(momo);
  await momo.verify({ reason: 'unknown-path' });
});
test('another refusal is verified', async ({ momo }) => {
  await unknown(momo);
  await momo.verify({ status: 404, method: 'get', path: '/x/momo/balance' });
  await wrong(momo);
});
test('a wrong key that is verified', async ({ momo, momoMock }) => {
  await wrong(momo);
  await momoMock.verify({ reason: 'key-unknown' });
});
test('the matcher fails', async ({ momo, expect }) => {
  await expect(momo).toHaveReceived({ path: '/momo/balance' });
});
test('the matcher fails the other way round', async ({ momo, expect }) => {
  await expect(momo).not.toHaveReceived({ times: 0 });
});
test('no mock', async ({ expect }) => { await expect(5).toHaveReceived({}); });
test('no expectation', async ({ momo, expect }) => { await expect(momo).toHaveReceived({ x: 1 }); });
test('nothing is left of the accounts', async ({ momoMock, expect }) => {
  expect((await momoMock.requests()).filter(({ account }) => account !== null)).toEqual([]);
});
describe.concurrent('at once', () => {
  test('a wrong key', async ({ momo }) => { await wrong(momo); });
});
const attempts = {};
const leaves = (title, momo) => {
  attempts[title] = (attempts[title] ?? 0) + 1;
  return momo.respondWith({ status: 500 + attempts[title] });
};
test('a retry that is right', { retry: 2 }, async ({ momo, task }) => {
  await leaves(task.name, momo);
  if (attempts[task.name] > 1) await getBalance(momo);
});
test('a retry that is wrong, too', { retry: 1 }, async ({ momo, task }) => {
  await leaves(task.name, momo);
});
describe('around each', () => {
  test.aroundEach(async (run, { momo }) => {
    await momo.respondWith({ status: 503 });
    await run();
  });
  test('a script is left of it', async () => {});
});
`;

const OPTIONS = `
import { testWith } from 'momo-mock/vitest';
const test = testWith({ preset: 'chipdeals', rateLimit: { limit: 5, window: 60000 }, strict: true });
test('a preset', async ({ momo, momoMock, expect }) => {
  expect(Object.keys(await momo.state.list('balances/'))).not.toEqual([]);
  expect(momo.id).not.toBe(momoMock.account().id);
});
test('a strict test of a preset', async ({ momo }) => {
  await fetch(momo.url).catch(() => {});
  await momo.respondWith({ status: 503 });
});
testWith({ strikt: true })('a name that no option has', async ({ momo }) => {});
testWith({ preset: 'chipdeal' })('a preset that is unknown', async ({ momo }) => {});
`;

/** Each row is a test that fails in the line of its call. */
const FAILING = [
  'await momo.verify({ path: "/momo/balance" });',
  'await momoMock.verify({ path: "/momo/balance" });',
  'await momo.verifyWebhooks({});',
  'await momo.verify({ pth: "" });',
  'await momo.respondWith({ staus: 1 });',
  'await momo.requests({ waitFor: 1, timeout: 1 });',
  'await momo.webhooks({ waitFor: 1, timeout: 1 });',
  'await momo.setBalance(undefined);',
  'await momo.setRateLimit("fast");',
  'await momo.state.set("", 1);',
  'await momo.state.transaction(async () => {});',
  'await momoMock.account().state.set("", 1);',
  'await momoMock.account().remove();',
  'await momoMock.createAccount({ variant: "none" });',
  'await momoMock.handle("GET", () => {});',
  'momoMock.redirect("localhost");',
  'await startMomoMock({ port: "1" });',
  'await connectMomoMock("nowhere");',
  'await (await connectMomoMock(controlUrl)).verify({ path: "/x" });',
  'await (await connectMomoMock(controlUrl)).state.set("", 1);',
  'testWith({ open: 1 });',
  'await expect(momo).toHaveReceived({ path: "/momo/balance" });',
  'await expect(momo).toHaveReceived({ pth: "" });',
];
const LINES = `
import { connectMomoMock, startMomoMock } from 'momo-mock';
import { testWith } from 'momo-mock/vitest';
const test = testWith({ strict: true, control: true });
${FAILING.map(
  (line, index) => `test('line ${index}', async ({ momo, momoMock, expect }) => {
  const { controlUrl } = momoMock;
  ${line}
});`,
).join('\n')}
`;

/** It pays twice if a response is lost, and only asks for the state. */
const DRILL = `
import { once } from 'node:events';
import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { drill } from 'momo-mock/vitest';

const references = new Map();
async function call({ url, ca, apiKey }, method, path, body) {
  const headers = { 'content-type': 'application/json' };
  const target = url + path + '?apikey=' + apiKey;
  const outgoing = request(target, { method, ca, headers, agent: false }).end(JSON.stringify(body));
  const [incoming] = await once(outgoing, 'response');
  return await json(incoming);
}
const start = async ({ order, phone, amount, currency, provider }) => {
  const body = { senderPhoneNumber: phone, amount, currency };
  const { payment } = await call(provider, 'POST', '/momo/requestPayment', body);
  references.set(order, payment.reference);
};
drill({
  preset: 'chipdeals',
  only: ['success', 'lost-response', 'token-expired'],
  pay: (order) => start(order).catch(() => start(order)),
  outcome: async ({ order, provider }) => {
    const reference = references.get(order);
    if (reference === undefined) return 'pending';
    const { transaction } = await call(provider, 'GET', '/momo/status/' + reference);
    return { pending: 'pending', success: 'paid', error: 'failed' }[transaction.status];
  },
});
`;

describe('momo-mock/vitest, run by vitest in a project of its own,', () => {
  it('makes a test of each failure of a drill, and skips one that is not applicable', () => {
    expect(results.get('drill')).toEqual({
      success: 'passed',
      'lost-response': expect.stringMatching(
        /^DrillError: The customer was charged twice: 2 × 125,000 XOF for one order \(POST \/momo\/requestPayment at .* and .*\)\.\nSend merchantOrderId with each attempt/,
      ),
      'token-expired': '',
    });
  });

  it('fails a strict test at its end for what it did not expect, and has a matcher', () => {
    const refused = (what: string) =>
      expect.stringMatching(
        new RegExp(`Failed to verify: 1 request was refused unexpectedly\\. .*\\n {2}${what}\\. `),
      );
    expect(results.get('strict')).toEqual({
      'all is as expected': 'passed',
      'a script is left': expect.stringContaining('1 of 2 left of {"status":503}'),
      'an unknown path': refused('GET /x/momo/balance 404 unknown-path'),
      'an unknown path that is verified': 'passed',
      'another refusal is verified': refused('GET /momo/balance 401 key-unknown'),
      'a wrong key that is verified': 'passed',
      'the matcher fails': expect.stringContaining('but 0 of 0 requests match'),
      'the matcher fails the other way round': expect.stringContaining(
        'Failed to verify: received {"times":0}.',
      ),
      'no mock': expect.stringContaining('it is neither a mock nor an account'),
      'no expectation': expect.stringContaining('Unknown field "x"'),
      'nothing is left of the accounts': 'passed',
      'a wrong key': 'passed',
      'a retry that is right': 'passed',
      // Each attempt's own problem, once.
      'a retry that is wrong, too': expect.stringMatching(
        /^((?!50[12])[\s\S])*"status":501((?!50[12])[\s\S])*"status":502((?!50[12])[\s\S])*$/,
      ),
      'a script is left of it': expect.stringContaining('1 of 1 left of {"status":503}'),
    });
  });

  it('takes options of startMomoMock, also in a strict test', () => {
    expect(results.get('options')).toEqual({
      'a preset': 'passed',
      'a strict test of a preset': expect.stringContaining('1 of 1 left of {"status":503}'),
      'a name that no option has': expect.stringMatching(
        /Unknown option "strikt"\..*\n.*testWith has only open and strict\./,
      ),
      'a preset that is unknown': expect.stringContaining('there is no preset with this name'),
    });
  });

  it.each(Array.from(FAILING.entries()))(
    'shows the line of a test that fails: %i %s',
    (at, line) => {
      const shown = output.split(/^ FAIL /m).find((part) => part.includes(`> line ${at}\n`));
      const [, firstFrame = ''] = /^ ❯ (.*)$/m.exec(`${shown}`) ?? [];
      expect(firstFrame).toMatch(/^(.*at \S+ )?lines\.test\.js:\d+:\d+$/);
      const number = Number(/:(\d+):/.exec(firstFrame)?.[1]);
      expect(shown).toMatch(new RegExp(`^ +${number}\\| `, 'm'));
      expect(LINES.split('\n')[number - 1]?.trim()).toBe(line);
    },
  );

  it('gives each of many concurrent tests a separate account, and one mock a worker', () => {
    const all = { ...results.get('a'), ...results.get('b') };
    expect(Object.keys(all)).toHaveLength(12);
    expect(new Set(Object.values(all))).toEqual(new Set(['passed']));
  });

  it('accepts a mock that was created in another way, and continues after a failed test', () => {
    expect(results.get('own')).toEqual({
      'a mock of its own': 'passed',
      'a test that fails': expect.stringContaining('401'),
      'the test after it': 'passed',
      'a wrong key to a mock that others may use': 'passed',
      'a path that is unknown to it': expect.stringContaining('1 request was refused'),
    });
    expect(existsSync(join(folder, 'closed'))).toBe(true);
  });
});
