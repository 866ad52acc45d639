import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { banner } from '../../src/cli/banner.ts';
import { startMomoMock } from '../../src/library/start-momo-mock.ts';
import { FAULTS } from '../../src/mock/fault.ts';
import type { MockServer } from '../../src/server.ts';
import { needs } from '../machine.ts';
import { blockOf, blocksOf, codeOf, readDocument, rowsBelow } from './documents.ts';
import { at } from './examples.ts';
import { openNodeProject } from './node-project.ts';
import { openShell } from './shell.ts';

const README = readDocument('README.md');

describe('the first screen', () => {
  const [command = '', ...output] = blockOf(README, 'console').split('\n');

  it('shows what a person at a terminal sees', () => {
    const mock = {
      url: 'https://localhost:8443',
      controlUrl: 'http://localhost:8480',
      certificate: { file: join(process.cwd(), 'certs/momo-mock.pem') },
    } as MockServer;
    expect(command).toBe('$ npm ci && npm start');
    expect(output.join('\n')).toBe(banner(mock, true));
  });

  it('shows a curl line that gets the balance', async (context) => {
    needs(context, 'curl');
    const shell = openShell();
    const ready = await shell.start('momo-mock');
    const [, line = ''] = /^ {2}try it +(.+)$/m.exec(output.join('\n')) ?? [];
    const answer = JSON.parse(shell.run(at(ready, line).replace('curl ', 'curl -sS ')));
    expect(answer.balance).toContainEqual({ amount: 2000, currency: 'XOF' });
  });

  it('shows a test that passes, and that fails where another balance comes', () => {
    const project = openNodeProject();
    const test = blockOf(README, 'js vitest');
    const file = codeOf(README).find((code) => code.endsWith('.test.js')) ?? '';
    expect(test.trim().split('\n').filter(Boolean).length).toBeLessThanOrEqual(10);
    project.write(file, test);
    expect(project.vitest()).toMatch(/Tests .*1 passed/);
    project.write(file, test.replace('balance: 500', 'balance: 499'));
    expect(() => project.vitest()).toThrow(
      expect.objectContaining({ stderr: expect.stringContaining('499') }),
    );
  });
});

describe('control', () => {
  it('is shown in the process of a test', () => {
    const project = openNodeProject();
    project.write('main.js', blockOf(README, 'js startMomoMock'));
    expect(project.run('node main.js')).toBe('503 GET /momo/balance\n');
  });

  it('names in its table what a mock has', async () => {
    const names = rowsBelow(README, 'In a test').flatMap(([cell = '']) =>
      cell.match(/\w+(?=[(`])/g),
    );
    await using mock = await startMomoMock();
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !((name ?? '') in mock))).toEqual([]);
    const faults = README.split('\n').find((line) => line.startsWith('Faults are'));
    expect(codeOf(faults ?? '')).toEqual(FAULTS);
  });

  it('is shown with curl', async (context) => {
    needs(context, 'curl');
    const shell = openShell();
    const ready = await shell.start('momo-mock');
    const lines = at(ready, README).match(/^curl .*http:.*$/gm) ?? [];
    const [script, balance, requests, reset] = lines.map((line) =>
      JSON.parse(shell.run(line.replace('curl ', 'curl -sSf ')) || 'null'),
    );
    expect(lines).toHaveLength(4);
    expect(script.responses).toMatchObject([{ status: 503, times: 2 }]);
    expect([balance, requests, reset]).toEqual([
      null,
      { requests: [], dropped: 0, total: 0 },
      null,
    ]);
  });
});

describe('commands', () => {
  const lines = [...README.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, text = '']) => text.split('\n'))
    .filter((line) => /(^| )momo-mock( |$)/.test(line) && !/^(docker| )/.test(line));
  const starts = lines.filter((line) => !line.includes('momo-mock cert'));

  it.each(starts)('%s starts a mock', async (line) => {
    const shell = openShell();
    writeFileSync(join(shell.folder, 'keys.txt'), 'test_alice\ntest_bob=empty\n');
    const ready = await shell.start(line, { MY_KEY: 'test_key' });
    expect(ready.url).toMatch(/^https:\/\/localhost:\d+$/);
  });

  it('shows each in its table, and each does what it says', async () => {
    const shell = openShell();
    const calls = rowsBelow(README, 'Commands').map(([call = '']) => call.replaceAll('`', ''));
    const names = ['serve', 'run -- COMMAND', 'cert', 'health', 'init', 'settings', 'help'];
    expect(calls).toEqual(names.map((name) => `momo-mock ${name}`));
    const ready = await shell.start('momo-mock serve');
    const control = { MOMO_MOCK_CONTROL_PORT: new URL(ready.controlUrl).port };
    expect(shell.run('momo-mock run -- printenv MOMO_MOCK_URL')).toMatch(/^https:/);
    expect(shell.run('momo-mock cert')).toContain(ready.certificate);
    expect(shell.run('momo-mock health', control)).toBe('ready\n');
    expect(shell.run('momo-mock init')).toContain('fixtures/momo/balance.get.json');
    expect(shell.run('momo-mock settings')).toContain('MOMO_MOCK_PORT');
    expect(shell.run('momo-mock help run')).toContain('--expect-requests');
  });

  it.each([
    ['momo-mock health', 1],
    ['momo-mock --no-such-flag', 2],
  ])('%s exits with %i', (line, status) => {
    const unused = { MOMO_MOCK_CONTROL_PORT: '1' };
    expect(() => openShell().run(line, unused)).toThrow(expect.objectContaining({ status }));
  });

  it('shows the ready record with the fields that it has', async () => {
    const ready = await openShell().start('momo-mock');
    const shown = blocksOf(README).find(({ info }) => info === 'json ready');
    expect(Object.keys(JSON.parse(shown?.text ?? ''))).toEqual(Object.keys(ready));
  });
});
