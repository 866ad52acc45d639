import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, readDocument } from '../docs/documents.ts';
import { excerptsOf, isTrue } from './excerpt.ts';
import { commandOf, EXAMPLES, filesOf, pageOf, RECIPES } from './recipe.ts';

/** How the clients of all these languages are told to take any certificate. */
const UNVERIFIED =
  /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity|\bverify\W{1,6}False|_create_unverified|CERT_NONE|check_hostname|InsecureSkipVerify|VERIFY_NONE|SSL_VERIFY|verify_(peer|mode|hostname)|--insecure|\bcurl\b.* -[a-z]*k|ignoreHTTPSErrors|ignore-certificate-errors|acceptInsecureCerts|TrustManager|HostnameVerif/i;

/** The text of a file of an example. */
function fileOf(recipe: string, file: string): string {
  return readFileSync(join(EXAMPLES, recipe, file), 'utf8');
}

describe.each(RECIPES)('the recipe for %s', (recipe) => {
  const page = pageOf(recipe);

  it('says how to trust the mock, how to set up tests, and how to run the example', () => {
    const headings = readDocument(page).match(/^## .+$/gm);
    expect(headings).toEqual(
      ['Trust the certificate', 'Set up the tests', 'Run the example'].map(
        (title) => `## ${title}`,
      ),
    );
    expect(readDocument(page)).toContain(`](../../examples/${recipe})`);
  });

  it('shows only code of its example', () => {
    const excerpts = excerptsOf(page);
    expect(excerpts.length).toBeGreaterThan(0);
    expect(excerpts.filter((excerpt) => !isTrue(excerpt))).toEqual([]);
    expect(excerpts.filter(({ file }) => !file.startsWith(`examples/${recipe}/`))).toEqual([]);
    const others = blocksOf(readDocument(page)).map(({ info }) => info);
    const kinds = others.filter((info) => !info.includes(' excerpt '));
    expect(kinds.filter((info) => info !== 'sh' && info !== 'sh debian')).toEqual([]);
  });

  it('has one command, and keeps the certificate check on', () => {
    const texts = [commandOf(recipe), ...filesOf(recipe).map((file) => fileOf(recipe, file))];
    expect(texts.filter((text) => UNVERIFIED.test(text))).toEqual([]);
  });

  it('is in the list of all recipes', () => {
    expect(readDocument('docs/recipes/README.md')).toContain(`](${recipe}.md)`);
  });
});

it('CI installs the packages that recipes need', () => {
  const [, installed = ''] = /^for recipe in (.+); do$/m.exec(readDocument('.ci/languages')) ?? [];
  const needy = RECIPES.filter((recipe) =>
    blocksOf(readDocument(pageOf(recipe))).some(({ info }) => info === 'sh debian'),
  );
  expect(installed.split(' ').toSorted()).toEqual(needy.toSorted());
});

it('every example has a recipe, except those for CI and Grafana', () => {
  const entries = readdirSync(EXAMPLES, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.toSorted()).toEqual([...RECIPES, 'ci', 'grafana'].toSorted());
});
