import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeFiles } from '../support/fixture-folder.ts';
import { needs, needsPython } from '../support/machine.ts';
import { blockOf, blocksOf, codeOf, readDocument } from './documents.ts';
import { drillIn, exampleIn, failuresIn, openTutorial } from './drill.ts';
import { at, examplesOf, runExamples } from './examples.ts';
import { openNodeProject } from './node-project.ts';
import { openShell } from './shell.ts';

const README = readDocument('README.md');

it('shows what a drill of the tutorial prints', () => {
  const { command, output } = exampleIn(README, 'console drill');
  const printed = drillIn(openTutorial(), command);
  expect(failuresIn(printed)).toEqual(failuresIn(output));
  expect(printed).toContain('2 survived, 2 failed');
});

it('shows a payment that is made twice, with all output', async (context) => {
  needs(context, 'curl');
  expect(examplesOf(README)).toHaveLength(3);
  const shell = openShell();
  const [start = ''] = /npm start -- .*/.exec(README) ?? [];
  const ready = await shell.start(start.replace('npm start --', 'momo-mock'));
  runExamples(shell, ready, at(ready, README));
});

it('shows a 502 with which the payment is made twice, too', async (context) => {
  needs(context, 'curl');
  const [, scripted = ''] = /`(\{"status":502.*?)\}`/.exec(README) ?? [];
  const page = README.replaceAll('{"fault":"reset"', scripted).replace('without a status', '502');
  const shell = openShell();
  const ready = await shell.start('momo-mock --preset chipdeals');
  runExamples(shell, ready, at(ready, page));
});

it('shows a test that passes, and that compares something', () => {
  const project = openNodeProject();
  const test = blockOf(README, 'js vitest');
  project.write('balance.test.js', test);
  project.write('other.balance.test.js', test.replace('balance: 500', 'balance: 499'));
  expect(() => project.vitest()).toThrow(
    expect.objectContaining({
      stdout: expect.stringMatching(/Tests .*1 failed.*1 passed/),
      stderr: expect.stringContaining('499'),
    }),
  );
});

it('shows a test in Python that passes', (context) => {
  needsPython(context, 'requests', 'pytest');
  const shell = openShell();
  writeFiles(shell.folder, { 'test_balance.py': blockOf(README, 'python test') });
  const [command = ''] = codeOf(README).filter((code) => code.startsWith('momo-mock run'));
  expect(shell.run(`${command} 2>&1`)).toMatch(/1 passed/);
});

it('has at most 550 words outside of code, and no block that is not run here', () => {
  expect(blocksOf(README).map(({ info }) => info)).toEqual([
    'console drill',
    'sh',
    'console',
    'console',
    'console',
    'js vitest',
    'python test',
  ]);
  const prose = README.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(
    /<[^>]+>|\]\([^)]*\)/g,
    ' ',
  );
  const words = prose.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  expect(words.length).toBeLessThanOrEqual(550);
});

it.each(
  blocksOf(readDocument('docs/command-line.md'))
    .filter(({ info }) => info === 'sh settings')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => line.includes('momo-mock')),
)('docs/command-line.md: %s starts a mock', async (line) => {
  const shell = openShell();
  writeFileSync(join(shell.folder, 'keys.txt'), 'test_alice\ntest_bob=empty\n');
  const ready = await shell.start(line.replace('9443', '0'), { MY_KEY: 'test_key' });
  expect(ready.url).toMatch(/^https:\/\/localhost:\d+$/);
});
