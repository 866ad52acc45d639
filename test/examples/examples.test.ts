import { beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { sharedFolder } from '../tls/temporary-folder.ts';
import { commandOf, RECIPES } from './recipe.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

/** What each prints where all of its tests have passed. */
const PASSED: Readonly<Record<string, RegExp>> = {
  browser: /pass 4$/m,
  curl: /^(ok - .+\n){4}/m,
  go: /^(--- PASS[\s\S]+){3}^ok /m,
  java: /^(ok - .+\n){4}/m,
  jest: /4 passed/,
  node: /pass 16$[\s\S]+(?:pass 4|pass 3[\s\S]+skipped 1)$/m,
  'node-test': /pass 4$/m,
  php: /^(ok - .+\n){8}/m,
  python: /8 passed/,
  ruby: /^4 runs, .* 0 failures, 0 errors, 0 skips$/m,
  vitest: /4 passed/,
};

/** How to see that what some need is on the machine. */
const THERE: Readonly<Record<string, string>> = {
  browser: 'command -v certutil && chromium --version',
  curl: 'curl --version',
  go: 'go version',
  java: 'javac -version && command -v keytool',
  php: 'php -r "exit(function_exists(\'curl_init\') ? 0 : 1);"',
  python: 'python3 -c "import pytest, requests"',
  ruby: 'ruby -e \'require "minitest"\'',
};

const folder = sharedFolder();
let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop(folder);
}, 300_000);

/** A text of an example, so changed that the mock has a certificate that it did not show. */
function distrusting(text: string): string {
  return text
    .replace(/momo-mock run.* -- /, '$&distrusting ')
    .replace('await startMomoMock();', "$& await mock.setTls('untrusted');")
    .replaceAll(
      'async ({ momo, expect }) => {',
      "async ({ momo, momoMock, expect }) => { await momoMock.setTls('untrusted');",
    );
}

/** Runs the command of a recipe, or skips the test where the machine lacks what it needs. */
async function run(recipe: string, skip: TestContext['skip'], command = commandOf(recipe)) {
  skip(workshop.isOffline, 'the npm registry cannot be reached');
  const { code } = await workshop.run(recipe, THERE[recipe] ?? 'true');
  skip(code !== 0, `${recipe} is not installed: docs/recipes/${recipe}.md`);
  return await workshop.run(recipe, command);
}

describe.each(RECIPES)('the example for %s', { timeout: 180_000 }, (recipe) => {
  it('passes by the command that its recipe prints', async ({ skip }) => {
    const { code, output } = await run(recipe, skip);
    expect(output).toMatch(PASSED[recipe] ?? /^$/);
    expect(code, output).toBe(0);
  });

  it('fails where the certificate is not the one to trust', async ({ skip }) => {
    workshop.change(recipe, distrusting);
    const { code, output } = await run(recipe, skip, distrusting(commandOf(recipe)));
    workshop.change(recipe, (text) => text);
    expect(output).toMatch(/certificate|PKIX|not known/i);
    expect(output).not.toMatch(PASSED[recipe] ?? /^/);
    expect(code, output).not.toBe(0);
  });
});
