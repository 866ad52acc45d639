import { describe, expect, it } from 'vitest';
import {
  REPORTS,
  redactedResult,
  resultText,
  summaryText,
  type WrittenReport,
} from '../../src/cli/drill/results.ts';
import { painter } from '../../src/cli/terminal-log.ts';
import type { DrillResult } from '../../src/drill/result.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';

const ENTRY: DrillResult['entries'][number] = {
  id: 'id1',
  ...({ kind: 'payment', of: null, amount: 1000, currency: 'XOF' } as const),
  ...({ party: '22990000001', order: 'o1', state: 'success' } as const),
  time: '2026-01-02T03:04:05.000Z',
};
const RESULTS: readonly DrillResult[] = [
  {
    ...({ name: 'success', flow: 'payment', verdict: 'survived', duration: 1500 } as const),
    ...{ sentence: 'Charged once, and paid.', entries: [ENTRY] },
    outcome: { state: 'paid', fulfilled: 1 },
  },
  {
    ...({
      name: 'lost-response',
      flow: 'payment',
      verdict: 'failed',
      kind: 'charged-twice',
    } as const),
    sentence: 'The customer was charged twice.',
    advice: 'Send the id.\nOr ask.',
    ...{ entries: [ENTRY, ENTRY], outcome: { state: 'paid' }, duration: 2000 },
  },
  {
    ...({ name: 'timeout', flow: 'payment', verdict: 'inconclusive', duration: 3000 } as const),
    sentence: 'GET http://127.0.0.1/?a=1&b=2 responded with 500. The response: <b>a\\|b</b> `x`',
    ...{ advice: 'Look at its log.', entries: [], outcome: null },
  },
  {
    ...({
      name: 'token-expired',
      flow: 'payment',
      verdict: 'not-applicable',
      duration: 0,
    } as const),
    ...{ sentence: 'The API has no tokens.', entries: [], outcome: null },
  },
];
const REPORT: WrittenReport = {
  ...{ flows: ['payment'], survived: 1, failed: 1, notApplicable: 1, inconclusive: 1 },
  failures: RESULTS,
};
const STOPPED: WrittenReport = {
  ...{ ...REPORT, failed: 0, inconclusive: 0, notApplicable: 0, failures: RESULTS.slice(0, 1) },
  stopped: { failure: 'declined', sentence: 'The app | did not start.' },
};
const written = (extension: string, report: WrittenReport) => REPORTS[extension]?.(report) ?? '';

describe('a report', () => {
  it('as JSON has all that is known, and why the drill stopped', () => {
    const [success, lost, timeout, token] = RESULTS;
    expect(JSON.parse(written('.json', REPORT))).toEqual({
      ...{ flows: ['payment'], survived: 1, failed: 1, notApplicable: 1, inconclusive: 1 },
      failures: [success, lost, timeout, token],
    });
    expect(JSON.parse(written('.json', STOPPED))).toMatchObject({
      stopped: { failure: 'declined', sentence: 'The app | did not start.' },
    });
  });

  it('as JUnit has what is inconclusive as an error, and a stop, too', () => {
    const xml = written('.xml', REPORT);
    expect(xml).toContain('tests="4" failures="1" errors="1" skipped="1"');
    expect(xml).toContain(
      '<testcase classname="momo-mock drill" name="success" time="1.500"><system-out>Charged once, and paid.</system-out>',
    );
    expect(xml).toContain(
      '<failure message="The customer was charged twice.">Send the id.\nOr ask.</failure>',
    );
    expect(xml).toMatch(/name="timeout" time="3\.000"><error message="GET .+">Look at its log\.</);
    expect(xml).toContain('name="token-expired" time="0.000"><skipped message="The API has no');
    expect(written('.xml', STOPPED)).toContain(
      'name="declined"><error message="The app | did not start."></error>',
    );
    expect(written('.xml', STOPPED)).toContain('tests="2" failures="0" errors="1" skipped="0"');
  });

  it('as Markdown is a table with named columns, whatever its sentences contain', () => {
    expect(written('.md', REPORT)).toBe(`# momo-mock drill

1 survived, 1 failed, 1 inconclusive, 1 not applicable

| sign | failure | verdict | the money |
|---|---|---|---|
| ✓ | \`success\` | survived | Charged once, and paid. |
| ✗ | \`lost-response\` | failed | The customer was charged twice.<br>Send the id.<br>Or ask. |
| ! | \`timeout\` | inconclusive | GET http://127.0.0.1/?a=1&b=2 responded with 500. The response: &lt;b>a\\\\\\|b&lt;/b> \\\`x\\\`<br>Look at its log. |
| – | \`token-expired\` | not-applicable | The API has no tokens. |
`);
    expect(written('.md', STOPPED)).toContain(
      '\n\nThe drill stopped in `declined`: The app \\| did not start.\n\n| sign |',
    );
  });
});

it('the terminal shows what is inconclusive with its advice', () => {
  const texts = RESULTS.map((result) => resultText(result, [3, 26], painter({})));
  const [, , text] = texts;
  expect(text).toMatch(/^ 3\/26 ! timeout {14}GET .+ \(3\.0 s\)\n {29}Look at its log\.$/);
  expect(summaryText(STOPPED)).toBe('1 survived, 0 failed');
});

describe('redaction of a result', () => {
  const redacted = (...keys: string[]) => {
    const redactor = new Redactor();
    for (const key of keys) redactor.remember(key);
    return RESULTS.map((result) => redactedResult(result, redactor));
  };

  it('finds keys in sentences, advice, and what clients wrote in the ledger', () => {
    const [, lost] = redacted('twice', 'o1', 'id1', '22990000001', 'Send');
    expect(lost).toMatchObject({
      sentence: 'The customer was charged [redacted].',
      advice: '[redacted] the id.\nOr ask.',
    });
    const hidden = { id: '[redacted]', order: '[redacted]', party: '[redacted]', of: null };
    expect(lost?.entries[0]).toEqual({ ...ENTRY, ...hidden });
  });

  it.each([
    'failures',
    'testcase',
    '1000',
    'survived',
    'payment',
    'success',
    'XOF',
    'paid',
    'null',
  ])('with the key %s breaks no report', (key) => {
    const report: WrittenReport = { ...REPORT, failures: redacted(key) };
    const json = JSON.parse(written('.json', report));
    expect(json.failures.map(({ name, verdict }: DrillResult) => [name, verdict])).toEqual(
      RESULTS.map(({ name, verdict }) => [name, verdict]),
    );
    expect(json.failures[0]).toMatchObject({
      entries: [{ amount: 1000, currency: 'XOF', state: 'success', kind: 'payment' }],
      outcome: { state: 'paid', fulfilled: 1 },
    });
    expect(written('.xml', report)).toContain(
      '<testcase classname="momo-mock drill" name="success"',
    );
    expect(written('.md', report)).toContain('\n| ✓ | `success` | survived | Charged once');
    expect(summaryText(report)).toBe('1 survived, 1 failed, 1 inconclusive, 1 not applicable');
  });
});
