import { expect, it } from 'vitest';
import { performancePage, shown } from '../../bench/page.mjs';

const figure = {
  title: 'Spawn to first answer',
  unit: 'ms',
  base: 'bare',
  targets: { exact: { atMost: 1.5 }, slow: { atMost: 1.5 }, low: { atLeast: 0.75 } },
  entries: {
    bare: { value: 100, ratio: 1 },
    exact: { value: 150, ratio: 1.5 },
    slow: { value: 151, ratio: 1.51 },
    low: { value: 74, ratio: 0.74 },
  },
};
const part = { measured: 'a machine', notRun: {}, figures: [figure] };

it('shows the target beside each figure, and whether it is met', () => {
  const page = performancePage({ start: part });
  expect(page).toContain('| bare | 100 ms | 1.00 |  |\n');
  expect(page).toContain('| exact | 150 ms | 1.50 | at most 1.5: met |\n');
  expect(page).toContain('| slow | 151 ms | 1.51 | at most 1.5: **not met** |\n');
  expect(page).toContain('| low | 74 ms | 0.74 | at least 0.75: **not met** |\n');
});

it('has a CPU column only if CPU was measured', () => {
  const entries = { bare: { value: 100, ratio: 1, cpu: 5, cpuRatio: 1 } };
  const measured = { ...part, figures: [{ ...figure, entries }] };
  expect(performancePage({ start: part })).not.toContain('CPU ratio |');
  expect(performancePage({ start: measured })).toContain('| bare | 100 ms | 1.00 | 5 | 1.00 |\n');
});

it('has the parts in one order, whenever they were measured, and says what was not run', () => {
  const notRun = { 'a peer': 'no java' };
  const page = performancePage({ memory: { ...part, notRun }, start: part });
  expect(page.match(/^## .*/gm)).toEqual(['## Start', '## Memory']);
  expect(page).toContain('Not run: a peer (no java).\n');
  expect(page).toContain('Measured on a machine.\n');
});

it('shows profiles as indented text', () => {
  const profiles = { 'A start': '  12.0 ms  src/mock\n\n   3.0 ms  decide\n' };
  const page = performancePage({ profile: { measured: 'a machine', profiles } });
  expect(page).toContain(
    '### A start\n\n      12.0 ms  src/mock\n\n       3.0 ms  decide\n\nMeasured on a machine.\n',
  );
});

it.each([
  [undefined, ''],
  [0.01234, '0.0123'],
  [12.345, '12.3'],
  [123.45, '123'],
  [12345.6, '12,346'],
])('%j is shown as %j', (number, text) => {
  expect(shown(number)).toBe(text);
});
