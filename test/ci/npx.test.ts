import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { installedPackage } from '../package/installed.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { readYaml, type Written } from './written.ts';

// It installs the package in a project, which takes half a minute on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const run = promisify(execFile);
const [workflow] = readYaml('examples/ci/github-npx.yml');
const lines: string[] = workflow.jobs.test.steps.flatMap((step: Written) => step.run ?? []);

/** A client that is told by the environment alone where to ask. */
const SUITE = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
test('the balance is there', async () => {
  const { MOMO_BASE_URL, MOMO_KEY } = process.env;
  const response = await fetch(\`\${MOMO_BASE_URL}/momo/balance?apikey=\${MOMO_KEY}\`);
  assert.equal(response.status, 200);
});`;

/** A suite that starts a mock of its own. */
const OWN_MOCK = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMomoMock } from 'momo-mock';
test('the balance is there', async () => {
  const mock = await startMomoMock({ trust: true });
  const response = await fetch(\`\${mock.url}/momo/balance?apikey=\${mock.apiKey}\`);
  await mock.close();
  assert.equal(response.status, 200);
});`;

/** Gives the project a script that tests. */
const SCRIPTED = `
const manifest = JSON.parse(fs.readFileSync('package.json', 'utf8'));
manifest.scripts = { test: 'node --test shop.test.js' };
fs.writeFileSync('package.json', JSON.stringify(manifest));`;

it('the steps of the workflow run in a project that has the package', async () => {
  const project = await installedPackage(temporaryFolder());
  await project.node('-e', SCRIPTED);
  project.write('shop.test.js', SUITE);
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const bash = (line: string) =>
    run('bash', ['-e', '-o', 'pipefail', '-c', line], { cwd: project.folder, env });

  expect(lines).toHaveLength(2);
  for (const line of lines) await bash(line);

  const last = lines.at(-1) ?? '';
  project.write('shop.test.js', OWN_MOCK);
  await bash(last);
  const strict = last.replace('run ', 'run --expect-requests ');
  await expect(bash(strict)).rejects.toThrow(
    /The command sent no requests to the mock, .* leave out --expect-requests\./,
  );
});
