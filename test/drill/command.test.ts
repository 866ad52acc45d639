import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { needs } from '../support/machine.ts';
import { drill, NODE, PHP, PYTHON } from './drill-command.ts';

// Each failure takes some seconds, and starts an application.
vi.setConfig({ testTimeout: 300_000 });

/** Of failures that do not end with a payment. */
const OUTCOMES: Readonly<Record<string, string | null>> = {
  'token-expired': null,
  declined: 'failed',
};

describe('the drill of a shop in Python, by HTTP', () => {
  it('says in each report that the shop survives', async (context) => {
    needs(context, 'python3');
    const only = ['declined', 'webhook-twice', 'token-expired', 'double-click'];
    const reports = ['a.xml', 'new/b.md'];
    const { code, stdout, stderr, folder, report } = await drill(PYTHON, { only, reports });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.replace(/ \(\d+(\.\d)? s\)/g, '').split('\n');
    expect(lines).toEqual([
      '1/5 ✓ success              Charged once, and paid.',
      '2/5 ✓ declined             Not charged, and failed.',
      '3/5 ✓ webhook-twice        Charged once, and paid.',
      expect.stringMatching(/^4\/5 – token-expired {8}The API has no tokens/),
      '5/5 ✓ double-click         Charged once, and paid.',
      '',
      '4 survived, 0 failed, 1 not applicable',
      '',
    ]);
    expect(report).toEqual({
      survived: 4,
      failed: 0,
      notApplicable: 1,
      failures: ['success', ...only].map((name) => ({
        name,
        verdict: name === 'token-expired' ? 'not-applicable' : 'survived',
        sentence: expect.stringMatching(/\.$/),
        charges: expect.any(Array),
        outcome: name in OUTCOMES ? OUTCOMES[name] : 'paid',
        duration: expect.any(Number),
      })),
    });
    expect(report?.failures[0]?.charges).toMatchObject([
      { kind: 'payment', amount: 1000, currency: 'XOF', state: 'success' },
    ]);
    const xml = readFileSync(join(folder, 'a.xml'), 'utf8');
    expect(xml).toContain(
      '<testsuite name="momo-mock drill" tests="5" failures="0" errors="0" skipped="1">',
    );
    expect(xml).toMatch(
      /<testcase classname="momo-mock drill" name="declined" time="\d+\.\d{3}"><system-out>Not charged, and failed\.</,
    );
    expect(xml).toMatch(
      /name="token-expired" time="0\.000"><skipped message="The API has no tokens/,
    );
    const markdown = readFileSync(join(folder, 'new/b.md'), 'utf8');
    expect(markdown).toContain('\n4 survived, 0 failed, 1 not applicable\n');
    expect(markdown).toContain('\n| ✓ | `declined` | survived | Not charged, and failed. |\n');
  });

  it('says how the shop charges twice, the same each time, also with several at once', async (context) => {
    needs(context, 'python3');
    const config = { ...PYTHON, env: { ...PYTHON.env, FAULT: 'retry' } };
    const only = ['declined', 'lost-response', 'garbage'];
    const reports = ['a.xml', 'b.md'];
    const first = await drill(config, { only, reports });
    const sentence =
      /^The customer was charged twice: 2 × 1,000 XOF for one order \(POST .+ and .+\)\.$/;
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
    expect(lost?.sentence).toMatch(sentence);
    expect(lost?.charges).toHaveLength(2);
    expect(first.stdout).toContain(`${lost?.sentence} (`);
    expect(first.stdout).toMatch(new RegExp(`\n {27}${advice}`));
    const xml = readFileSync(join(first.folder, 'a.xml'), 'utf8');
    expect(xml).toContain(`<failure message="${lost?.sentence}">${advice}`);
    expect(xml).toContain('tests="4" failures="2" errors="0" skipped="0"');
    const markdown = readFileSync(join(first.folder, 'b.md'), 'utf8');
    expect(markdown).toContain(`| ✗ | \`lost-response\` | failed | ${lost?.sentence}<br>${advice}`);
    const second = await drill({ ...config, concurrency: 3 }, { only });
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

describe('the drill of a shop in PHP, by commands', () => {
  it('starts a process for each call, in the environment of its account', async (context) => {
    needs(context, 'php');
    const only = ['declined', 'lost-response', 'no-webhook'];
    const { code, stderr, folder, report, verdicts } = await drill(PHP, { only });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(verdicts).toEqual({
      success: 'survived',
      declined: 'survived',
      'lost-response': 'survived',
      'no-webhook': 'not-applicable',
    });
    const outcomes = report?.failures.map(({ outcome }) => outcome);
    // Without webhooks, nothing tells the shop of a payment whose response was lost.
    expect(outcomes).toEqual(['paid', 'failed', 'pending', null]);
    const orders = readdirSync(folder).filter((name) => !/^(config|report)/.test(name));
    const charged = report?.failures.flatMap(({ charges }) => charges.map(({ order }) => order));
    expect(orders.sort()).toEqual(charged?.map((order) => `${order}.json`).sort());
  });
});

it('the drill of the client library for Node finds that it pays again, and verifies no certificate', async () => {
  const only = ['declined', 'lost-response', 'wrong-certificate'];
  const { code, stderr, verdicts, stdout } = await drill(NODE, { only });
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(verdicts).toEqual({
    success: 'survived',
    declined: 'survived',
    'lost-response': 'failed',
    'wrong-certificate': 'failed',
  });
  expect(stdout).toContain('The customer was charged twice: ');
});

it('the drill shows at a terminal which failures run, in colors if it has any', async () => {
  const shown = await drill(NODE, { only: ['declined'], isTerminal: true, hasColors: true });
  const [clear, gray, end] = ['\r\x1b[2K', '\x1b[90m', '\x1b[39m'];
  const running = `${clear}${gray}… success${end}`;
  expect(shown.stdout.startsWith(`${running}${clear}${gray}1/2${end} `)).toBe(true);
  expect(shown.stdout).toContain('\x1b[32m✓ declined ');
  const narrow = await drill(NODE, { isTerminal: true, columns: 8 });
  expect(narrow.stdout.startsWith(`${clear}… succe${clear}1/1 ✓ success  `)).toBe(true);
});
