import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needs } from '../support/machine.ts';
import { SETTINGS } from '../support/program.ts';
import { blockOf, blocksOf, codeOf, readDocument } from './documents.ts';
import { at, examplesOf, runExamples } from './examples.ts';
import { openNodeProject } from './node-project.ts';
import { openShell } from './shell.ts';

const README = readDocument('README.md');

it('README shows requests and a scripted failure with their output', async (context) => {
  needs(context, 'curl');
  expect(examplesOf(README)).toHaveLength(3);
  const shell = openShell();
  const ready = await shell.start('momo-mock');
  runExamples(shell, ready, at(ready, README));
});

it('README shows a test that passes, and that compares something', () => {
  const project = openNodeProject();
  const test = blockOf(README, 'js vitest');
  const file = codeOf(README).find((code) => code.endsWith('.test.js')) ?? '';
  project.write(file, test);
  project.write(`other.${file}`, test.replace('balance: 500', 'balance: 499'));
  expect(() => project.vitest()).toThrow(
    expect.objectContaining({
      stdout: expect.stringMatching(/Tests .*1 failed.*1 passed/),
      stderr: expect.stringContaining('499'),
    }),
  );
});

it('README publishes the ports of the image, and the control API only to this machine', () => {
  const [service, control] = [SETTINGS.PORT, SETTINGS.CONTROL_PORT].map(
    ({ schema }) => `${schema.default}:${schema.default}`,
  );
  const published = README.match(/(?<= -p )\S+/g);
  expect(published).toEqual([service, `127.0.0.1:${control}`]);
});

it('README has at most 500 words outside code, and only blocks that this test runs', () => {
  expect(blocksOf(README).map(({ info }) => info)).toEqual([
    'sh',
    'console',
    'console',
    'js vitest',
    'sh',
    // CI runs the last one.
    'sh',
  ]);
  const prose = README.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(
    /<[^>]+>|\]\([^)]*\)/g,
    ' ',
  );
  const words = prose.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  expect(words.length).toBeLessThanOrEqual(500);
});

it.each(
  blocksOf(readDocument('docs/settings.md'))
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => line.includes('momo-mock')),
)('the line "%s" of docs/settings.md starts a mock', async (line) => {
  const shell = openShell();
  writeFileSync(join(shell.folder, 'keys.txt'), 'test_alice\ntest_bob=empty\n');
  const ready = await shell.start(line.replace('9443', '0'), { MY_KEY: 'test_key' });
  expect(ready.url).toMatch(/^https:\/\/localhost:\d+$/);
});
