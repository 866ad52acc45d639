import { expect, it } from 'vitest';
import { chartOf } from '../../bench/chart.mjs';
import { performancePage } from '../../bench/page.mjs';
import { mergeResults } from '../../bench/results.mjs';
import { markdownTable, shown } from '../../bench/table.mjs';

const ORDER = ['first-answer', 'kept-alive'];
const RUN = {
  ...{ date: '2026-01-02T03:04:05.000Z', cpu: 'CPU', cores: 2, memory: '4 GB', system: 'Linux' },
  ...{ node: 'v20', load: ['0.1'], commit: 'abc', rounds: 7 },
};

const part = (id: string, ratio: number, notRun = {}) => {
  const entries = {
    bare: { value: 100, ratio: 1, rounds: 7 },
    'momo-mock': { value: 100 * ratio, ratio, rounds: 7 },
    '<peer> & co': { value: 900, ratio: 9, rounds: 7 },
  };
  const figure = {
    id,
    title: `Figure \`${id}\``,
    unit: 'ms',
    better: 'less',
    base: 'bare',
    entries,
  };
  return { figures: [figure], notRun };
};

const none = { peers: {}, parts: {} };
const both = mergeResults(
  none,
  {
    run: RUN,
    peers: {},
    parts: { 'kept-alive': part('kept-alive', 0.9), 'first-answer': part('first-answer', 1.2) },
  },
  ORDER,
);

it('a run of one part leaves the others as they were', () => {
  const run = { ...RUN, commit: 'def' };
  const parts = { 'kept-alive': part('kept-alive', 0.5) };
  const merged = mergeResults(both, { run, peers: { one: { version: '1' } }, parts }, ORDER);
  expect(Object.keys(merged.parts)).toEqual(ORDER);
  expect(merged.parts['first-answer']).toEqual(both.parts['first-answer']);
  expect(merged.parts['kept-alive']).toMatchObject({ run, figures: parts['kept-alive'].figures });
  const page = performancePage(merged, 'chart.svg');
  expect(page).toMatch(/^\| first-answer \| .*\| abc \|/m);
  expect(page).toMatch(/^\| kept-alive \| .*\| def \|/m);
});

it('the page says what is met, what is not, and why a peer was not run', () => {
  const parts = { 'kept-alive': part('kept-alive', 0.5, { peer: 'there is no java' }) };
  const page = performancePage(mergeResults(both, { run: RUN, peers: {}, parts }, ORDER), 'c.svg');
  expect(page).toMatch(/^\| Figure `first-answer` \| 120 ms \| 1\.20 .*\| met \|$/m);
  expect(page).toMatch(/^\| Figure `kept-alive` \| 50 ms \| 0\.50 .*\| \*\*not met\*\* \|$/m);
  expect(page).toContain('| peer | not run: there is no java |');
  expect(page).toContain('](c.svg)');
});

it('the chart is whole: each element is closed, and its bars are in proportion', () => {
  const chart = chartOf(both);
  const open: string[] = [];
  for (const [, end, name = '', , alone] of chart.matchAll(
    /<(\/?)([a-z]+)((?:\s[^<>]*?)?)(\/?)>/g,
  )) {
    if (end) expect(open.pop()).toBe(name);
    else if (!alone) open.push(name);
  }
  expect(open).toEqual([]);
  expect(chart.match(/[<>]/g)).toHaveLength((chart.match(/<[^<>]*>/g) ?? []).length * 2);
  expect(chart).toContain('&lt;peer&gt; &amp; co');
  const widths = [...chart.matchAll(/<rect .*?width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );
  const [bare = 0, own = 0, peer = 0] = widths;
  expect([own / bare, peer / bare].map((ratio) => ratio.toFixed(1))).toEqual(['1.2', '9.0']);
  expect(chart).toContain('prefers-color-scheme: dark');
});

it('a cell cannot break its table', () => {
  const rows = markdownTable(
    ['a', 'b'],
    [
      ['x|y', 'two\nlines'],
      [undefined, 1],
    ],
  ).split('\n');
  expect(rows).toEqual(['| a | b |', '|---|---|', '| x\\|y | two lines |', '| | 1 |']);
});

it.each([
  [0.01234, '0.0123'],
  [12.345, '12.3'],
  [123.45, '123'],
  [12345.6, '12,346'],
])('%d is shown as %s', (number, text) => {
  expect(shown(number)).toBe(text);
});
