import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, ROOT, readDocument } from '../docs/documents.ts';
import { commandOf, EXAMPLES, filesOf, pageOf, RECIPES } from './recipe.ts';

const SHOWN = /^(```\w+ source=(.+)\n)[\s\S]*?^```$/gm;
const NOT_SHOWN = ['package.json', 'go.mod', 'vitest.config.js'];
/** How the clients of all these languages are told to take any certificate. */
const UNVERIFIED =
  /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity|\bverify\W{1,6}False|_create_unverified|CERT_NONE|check_hostname|InsecureSkipVerify|VERIFY_NONE|SSL_VERIFY|verify_(peer|mode|hostname)|--insecure|\bcurl\b.* -[a-z]*k|ignoreHTTPSErrors|ignore-certificate-errors|acceptInsecureCerts|TrustManager|HostnameVerif/i;

/** The text of a file of an example. */
function fileOf(recipe: string, file: string): string {
  return readFileSync(join(EXAMPLES, recipe, file), 'utf8');
}

describe.each(RECIPES)('the recipe for %s', (recipe) => {
  it('shows files as they are; npx vitest run test/examples/recipes -u writes them anew', async () => {
    const page = readDocument(pageOf(recipe));
    const asTheyAre = page.replace(SHOWN, (_block, fence, file) =>
      [fence, fileOf(recipe, file), '```'].join(''),
    );
    await expect(asTheyAre).toMatchFileSnapshot(join(ROOT, pageOf(recipe)));
  });

  it('shows every file but those that are the same in each project', () => {
    const infos = blocksOf(readDocument(pageOf(recipe))).map(({ info }) => info);
    const shown = infos.flatMap((info) => info.split('source=')[1] ?? []);
    const files = filesOf(recipe).filter((file) => !NOT_SHOWN.includes(file));
    expect(shown.toSorted()).toEqual(files.toSorted());
  });

  it('has one command, and leaves the check of the certificate on', () => {
    const texts = [commandOf(recipe), ...filesOf(recipe).map((file) => fileOf(recipe, file))];
    expect(texts.filter((text) => UNVERIFIED.test(text))).toEqual([]);
  });

  it('is in the list of all recipes', () => {
    expect(readDocument('docs/recipes/README.md')).toContain(`](${recipe}.md)`);
  });
});

it('CI installs what recipes need', () => {
  const [, installed = ''] = /^for recipe in (.+); do$/m.exec(readDocument('.ci/languages')) ?? [];
  const needy = RECIPES.filter((recipe) =>
    blocksOf(readDocument(pageOf(recipe))).some(({ info }) => info === 'sh debian'),
  );
  expect(installed.split(' ').toSorted()).toEqual(needy.toSorted());
});

it('no example is without its recipe, but those of docs/ci.md, docs/container.md and docs/simulate.md', () => {
  const entries = readdirSync(EXAMPLES, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.toSorted()).toEqual([...RECIPES, 'ci', 'grafana'].toSorted());
});
