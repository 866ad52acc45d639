import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { excerptsOf, isTrue } from '../examples/excerpt.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { readDocument } from './documents.ts';
import { examplesOf } from './examples.ts';
import { openShell } from './shell.ts';

const PAGE = readDocument('docs/real-service.md');

it('docs/real-service.md shows the output of the commands', async () => {
  const shell = openShell();
  const balance = [{ amount: '1250.00', currency: 'XOF', fee: 25 }];
  writeFiles(join(shell.folder, 'real'), {
    'momo/balance.get.json': { success: true, message: 'fine', balance },
    'momo/status/[reference].get.json': { status: 'pending' },
  });
  const { url, certificate } = await shell.start('momo-mock --fixtures-dir real');
  const env = { MOMO_MOCK_REAL_CA_FILE: certificate, MY_KEY: 'momo_test_key' };
  const examples = examplesOf(PAGE);
  expect(examples.length).toBe(5);
  for (const { command, output } of examples) {
    const line = command.replace('https://api.example.com', url);
    // The exit code of drift is not 0.
    expect(shell.run(`${line} || true`, env).trim(), command).toBe(output);
  }
});

it('docs/real-service.md shows the step of the nightly job unchanged, and its command runs', () => {
  const [step, ...others] = excerptsOf('docs/real-service.md');
  expect(others).toEqual([]);
  expect(step).toMatchObject({ file: 'examples/ci/github-real-service.yml' });
  expect(step && isTrue(step)).toBe(true);
  const [, line = ''] = /npx (momo-mock .*)/.exec(step?.text ?? '') ?? [];
  const shell = openShell();
  writeFileSync(join(shell.folder, 'key'), 'secret\n');
  const env = { MOMO_MOCK_REAL_URL: 'https://localhost:9', MOMO_MOCK_REAL_KEY_FILE: 'key' };
  const text = shell.run(`${line} 2>&1 || echo "code $?"; cat real-service.xml`, env);
  expect(text).toMatch(/^Failed to check 401 without a key: the connection .+ failed/m);
  expect(text).toContain('\ncode 3\n<?xml');
});
