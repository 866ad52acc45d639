import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { commandOf, PROJECTS, pageOf, recipeOf } from './recipe.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

// It installs what the examples need, from the npm registry, and runs them.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** What each prints where all of its tests have passed. */
const PASSED: Readonly<Record<string, RegExp>> = {
  browser: /pass 4$/m,
  curl: /^(ok - .+\n){4}/m,
  go: /^(--- PASS[\s\S]+){3}^ok /m,
  java: /^(ok - .+\n){4}/m,
  jest: /4 passed/,
  node: /pass 16$[\s\S]+pass 5$/m,
  'node-test': /pass 4$/m,
  php: /^(ok - .+\n){10}/m,
  python: /8 passed/,
  ruby: /^4 runs, .* 0 failures, 0 errors, 0 skips$/m,
  vitest: /4 passed/,
};

/** How to see that what some need is on the machine. */
const THERE: Readonly<Record<string, string>> = {
  browser: 'command -v certutil && chromium --version',
  curl: 'curl --version',
  go: 'go version',
  java: 'javac -version',
  php: 'php -r "exit(function_exists(\'curl_init\') ? 0 : 1);"',
  python: 'python3 -c "import pytest, requests"',
  ruby: 'ruby -e \'require "minitest"\'',
};

const folder = temporaryFolder(afterAll);
let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop(folder);
});

describe.each(PROJECTS)('the example for %s', (project) => {
  it('passes by the command that its recipe prints', async ({ skip }) => {
    skip(workshop.isOffline, 'the npm registry cannot be reached');
    const needed = await workshop.run(project, THERE[project] ?? 'true');
    skip(needed.code !== 0, `${project} is not installed: ${pageOf(recipeOf(project))}`);
    const { code, output } = await workshop.run(project, commandOf(project));
    expect(output).toMatch(PASSED[project] ?? /^$/);
    expect(code, output).toBe(0);
  });
});

/** A test for jest: what a handler imports is taken as it is at the start of a mock. */
const OF_HANDLERS = `import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { json } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { startMomoMock } from 'momo-mock';

test.each([1, 2])('a handler imports version %i of a module', async (value) => {
  writeFileSync('fixtures/momo/_value.js', \`export const value = \${value};\`);
  const mock = await startMomoMock({ fixturesDir: 'fixtures' });
  const [response] = await once(get(\`\${mock.url}/momo/balance?apikey=\${mock.apiKey}\`, { agent: mock.agent }), 'response');
  expect(await json(response)).toEqual({ value });
  await mock.close();
});
`;

it('jest, which loads modules separately for each test file, runs handlers', async ({ skip }) => {
  skip(workshop.isOffline, 'the npm registry cannot be reached');
  const project = join(folder, 'handlers');
  mkdirSync(join(project, 'fixtures/momo'), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  const handler =
    "import { value } from './_value.js';\nexport default () => ({ body: { value } });";
  writeFileSync(join(project, 'fixtures/momo/balance.get.js'), handler);
  for (const name of ['one', 'two']) writeFileSync(join(project, `${name}.test.js`), OF_HANDLERS);
  const jest = 'node ../node_modules/jest/bin/jest.js -i --testTimeout=60000';
  const { output } = await workshop.run(
    'handlers',
    `NODE_OPTIONS=--experimental-vm-modules ${jest}`,
  );
  expect(output).toMatch(/^Tests: +4 passed/m);
});
