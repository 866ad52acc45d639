import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { drillApart, drill as drillHere, NODE, PHP, PYTHON } from './drill-command.ts';

// Each failure takes some seconds, most of which it waits.
vi.setConfig({ testTimeout: 300_000, maxConcurrency: 4 });

const drill = drillApart(temporaryFolder(afterAll));
/** Shorter than usual, in ms: all times of the drill are shorter in proportion. */
const limit = 6000;

/** What the shop believes in failures that do not end with a payment. */
const OUTCOMES: Readonly<Record<string, object | null>> = {
  'token-expired': null,
  declined: { state: 'failed', fulfilled: 0 },
};

/** Lines of failures, without their places and times: what is only watched ends later. */
const linesIn = (stdout: string) =>
  stdout
    .replace(/ \(\d+(\.\d)? s\)/g, '')
    .split('\n')
    .map((line) => line.replace(/^ *\d+\/\d+ /, ''))
    .toSorted();

describe.concurrent('the drill of a shop in Python, by HTTP', () => {
  it('says in each report that the shop survives', async (context) => {
    needs(context, 'python3');
    const only = ['declined', 'token-expired', 'no-webhook'];
    const reports = ['a.xml', 'new/b.md'];
    const config = { ...PYTHON, limit };
    const { code, stdout, stderr, folder, report } = await drill(config, { only, reports });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(linesIn(stdout)).toEqual(
      [
        '✓ success              Charged once, and paid.',
        '✓ declined             Not charged, and failed.',
        expect.stringMatching(/^– token-expired {8}The API has no tokens/),
        '✓ no-webhook           Charged once, and paid.',
        '',
        '3 survived, 0 failed, 1 not applicable',
        '',
      ].toSorted(),
    );
    // Whatever ends first.
    const places = [...stdout.matchAll(/^(\d)\/4 /gm)].map(([, place]) => place);
    expect(places).toEqual(['1', '2', '3', '4']);
    expect(report).toEqual({
      flows: ['payment'],
      ...{ survived: 3, failed: 0, notApplicable: 1, inconclusive: 0 },
      failures: ['success', ...only].map((name) => ({
        ...{ name, flow: 'payment' },
        verdict: name === 'token-expired' ? 'not-applicable' : 'survived',
        sentence: expect.stringMatching(/\.$/),
        entries: expect.any(Array),
        outcome: name in OUTCOMES ? OUTCOMES[name] : { state: 'paid', fulfilled: 1 },
        duration: expect.any(Number),
      })),
    });
    expect(report?.failures[0]?.entries).toMatchObject([
      { kind: 'payment', of: null, amount: expect.any(Number), currency: 'XOF', state: 'success' },
    ]);
    const xml = readFileSync(join(folder, 'a.xml'), 'utf8');
    expect(xml).toContain('tests="4" failures="0" errors="0" skipped="1"');
    const markdown = readFileSync(join(folder, 'new/b.md'), 'utf8');
    expect(markdown).toContain('\n3 survived, 0 failed, 1 not applicable\n');
  });

  it('says how the shop charges twice, the same each time, also with several at once', async (context) => {
    needs(context, 'python3');
    const config = { ...PYTHON, limit, env: { ...PYTHON.env, FAULT: 'retry' } };
    const only = ['declined', 'lost-response', 'garbage'];
    const flags = ['--concurrency', '3', '--limit', '5000'];
    const [first, second] = await Promise.all([
      drill({ ...config, only }, { only: 'all' }),
      drill(config, { only, flags }),
    ]);
    const sentence =
      /^The customer was charged twice: 2 × [\d,]+ XOF for one order \(POST .+ and .+\)\.$/;
    const advice = 'Send merchantOrderId with each attempt, ';
    expect(first.code).toBe(1);
    expect(first.verdicts).toEqual({
      success: 'survived',
      declined: 'survived',
      'lost-response': 'failed',
      garbage: 'failed',
    });
    expect(first.report).toMatchObject({ survived: 2, failed: 2, notApplicable: 0 });
    const lost = first.report?.failures.find(({ name }) => name === 'lost-response');
    expect(lost).toMatchObject({ kind: 'charged-twice', advice: expect.stringContaining(advice) });
    expect(lost?.sentence).toMatch(sentence);
    expect(lost?.entries).toHaveLength(2);
    expect(first.stdout).toContain(`${lost?.sentence} (`);
    expect(first.stdout).toMatch(new RegExp(`\n {27}${advice}`));
    expect([second.code, second.verdicts]).toEqual([1, first.verdicts]);
  });

  it('is over after success if that is wrong, and shows what may be the reason', async (context) => {
    needs(context, 'python3');
    const pay = { ...PYTHON.pay, body: { ...PYTHON.pay.body, phone: '123' } };
    const start = `echo "The shop of {apiKey}"; ${PYTHON.start}`;
    const config = { ...PYTHON, pay, start, limit: 3000 };
    const { code, stdout, verdicts } = await drill(config, { only: ['declined'] });
    expect([code, verdicts]).toEqual([1, { success: 'failed' }]);
    expect(stdout).toMatch(
      /^1\/2 ✗ success .+\n(?:.+\n)*The application wrote:\n {2}The shop of \[redacted\]\n/,
    );
    expect(stdout).toMatch(
      /\n0 survived, 1 failed \(\d+ s\)\n1 was not run, because success has to be right first\.\n$/,
    );
  });
});

describe.concurrent('the drill of a shop in PHP, by commands', () => {
  it('starts a process for each call, in the environment of its account', async (context) => {
    needs(context, 'php');
    const only = ['declined', 'lost-response', 'no-webhook'];
    const { code, stderr, folder, report, verdicts } = await drill({ ...PHP, limit }, { only });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(verdicts).toEqual({
      success: 'survived',
      declined: 'survived',
      'lost-response': 'survived',
      'no-webhook': 'not-applicable',
    });
    const outcomes = report?.failures.map(({ outcome }) => outcome?.state);
    // Without webhooks, nothing tells the shop of a payment whose response was lost.
    expect(outcomes).toEqual(['paid', 'failed', 'pending', undefined]);
    const orders = readdirSync(folder).filter((name) => !/^(config|report)/.test(name));
    const charged = report?.failures.flatMap(({ entries }) => entries.map(({ order }) => order));
    // lost-response has two orders, and its result the entries of the last one.
    expect(orders).toHaveLength(4);
    expect(orders).toEqual(expect.arrayContaining((charged ?? []).map((id) => `${id}.json`)));
    expect(charged).toHaveLength(3);
  });
});

// The outage lasts 20 s, and the application is watched after it.
it.concurrent('a shop that ends without the token that it gets at its start survives an outage', async () => {
  const given = ['apiUser', 'apiUserKey', 'targetEnvironment'];
  const credentials = given.map((name) => `{credentials.${name}}`).join(' ');
  const file = resolve('test/drill/shop-with-token.mjs');
  const url = 'http://127.0.0.1:{port}';
  const config = {
    preset: 'mtn-momo',
    limit,
    start: `exec node "${file}" {port} {url} {apiKey} ${credentials}`,
    pay: {
      url: `${url}/`,
      body: { id: '{order}', amount: '{amount}', currency: '{currency}', phone: '{phone}' },
    },
    outcome: { url: `${url}/{order}`, field: 'state', paid: ['SUCCESSFUL'], failed: ['FAILED'] },
  };
  const { code, stderr, verdicts } = await drill(config, { only: ['down'] });
  expect({ code, stderr, verdicts }).toEqual({
    code: 0,
    stderr: '',
    verdicts: { success: 'survived', down: 'survived' },
  });
});

it.concurrent('the drill of the client library for Node finds that it pays again, and verifies no certificate', async () => {
  const only = ['declined', 'lost-response', 'wrong-certificate'];
  const { code, stderr, verdicts, stdout } = await drill({ ...NODE, limit }, { only });
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(verdicts).toEqual({
    success: 'survived',
    declined: 'survived',
    'lost-response': 'failed',
    'wrong-certificate': 'failed',
  });
  expect(stdout).toContain('The customer was charged twice: ');
});

it.concurrent('the drill says how requests find the mock if the application sends none', async () => {
  // The flag counts.
  const config = { ...NODE, pay: { command: ['true'] }, limit: 600_000 };
  const { code, report } = await drill(config, { flags: ['--limit', '1000'] });
  expect(code).toBe(1);
  expect(report?.failures).toMatchObject([
    {
      ...{ name: 'success', verdict: 'failed', kind: 'not-started' },
      sentence: expect.stringMatching(
        /^.+ within 3 s.* The drill redirects apis\.chipdeals\.me to the mock with the environment variables .*HTTPS_PROXY.*, NODE_OPTIONS, /,
      ),
    },
  ]);
});

it.concurrent('the drill takes amounts of the configuration, and names a state that is in no list', async () => {
  const { failed: _, ...outcome } = NODE.outcome;
  const config = { ...NODE, outcome, amounts: { XOF: [4321] }, limit: 2000 };
  const { report } = await drill(config, { only: ['declined'] });
  expect(report?.failures).toMatchObject([
    { name: 'success', verdict: 'survived', entries: [{ amount: 4321, currency: 'XOF' }] },
    {
      ...{ name: 'declined', verdict: 'failed', kind: 'pending-failed' },
      sentence: expect.stringContaining(
        'Its order.state "canceled" counts as pending: it is neither in paid (paid) nor in failed (failed).',
      ),
    },
  ]);
});

it('the drill shows at a terminal which failures run, in colors if it has any', async () => {
  const how = { only: ['declined'], flags: ['--limit', '1000'], isTerminal: true };
  const shown = await drillHere(NODE, { ...how, hasColors: true });
  const [clear, gray, end] = ['\r\x1b[2K', '\x1b[90m', '\x1b[39m'];
  const both = `${clear}${gray}… success, declined${end}`;
  expect(
    shown.stdout.startsWith(`${clear}${gray}… success${end}${both}${clear}${gray}1/2${end} `),
  ).toBe(true);
  expect(shown.stdout).toContain('\x1b[32m✓ declined ');
  // The latest ones, if there is no room for all.
  const narrow = await drillHere(NODE, { ...how, columns: 8 });
  expect(narrow.stdout.startsWith(`${clear}… succe${clear}… decli${clear}1/2 ✓ success  `)).toBe(
    true,
  );
});

it.concurrent('--log shows what the application wrote in each failure', async (context) => {
  needs(context, 'python3');
  const start = `echo "The shop of {apiKey}"; ${PYTHON.start}`;
  const flags = ['--limit', '2000', '--log', 'FOLDER/new/logs'];
  const { code, folder } = await drill({ ...PYTHON, start }, { only: ['declined'], flags });
  expect(code).toBe(0);
  const logs = join(folder, 'new/logs');
  const names = readdirSync(logs).toSorted();
  expect(names).toEqual(['declined.log', 'success.log']);
  for (const name of names) {
    const text = readFileSync(join(logs, name), 'utf8');
    expect(text).toMatch(/^--- [\d:.]{12} start\nThe shop of \[redacted\]\n$/);
  }
});
