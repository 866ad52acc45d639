import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blockOf, blocksOf, ROOT, readDocument } from '../docs/documents.ts';
import { openNodeProject } from '../docs/node-project.ts';
import { excerptsOf, isTrue } from './excerpt.ts';
import { commandOf, EXAMPLES, filesOf, PROJECTS, pageOf, RECIPES, recipeOf } from './recipe.ts';

/** How the clients of all these languages are told to take any certificate. */
const UNVERIFIED =
  /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity|\bverify\W{1,6}False|_create_unverified|CERT_NONE|check_hostname|InsecureSkipVerify|VERIFY_NONE|SSL_VERIFY|verify_(peer|mode|hostname)|--insecure|\bcurl\b.* -[a-z]*k|ignoreHTTPSErrors|ignore-certificate-errors|acceptInsecureCerts|TrustManager|HostnameVerif/i;

/** The text of a file of an example. */
function fileOf(project: string, file: string): string {
  return readFileSync(join(EXAMPLES, project, file), 'utf8');
}

/** What a page may show besides excerpts: a command, packages of Debian, and what tests here run. */
const KINDS = ['sh', 'sh debian', 'js cjs', 'ts typed'];

describe.each(RECIPES)('the recipe for %s', (recipe) => {
  const page = pageOf(recipe);
  const projects = PROJECTS.filter((project) => recipeOf(project) === recipe);

  it('says how to trust the mock, how to set up tests, and how to run the example', () => {
    const titles = ['Trust the certificate', 'Set up the tests', 'Run the example'];
    const headings = readDocument(page).match(/(?<=^## ).+$/gm) ?? [];
    expect(headings.filter((heading) => titles.includes(heading))).toEqual(titles);
    for (const project of projects) {
      expect(readDocument(page)).toContain(`](../../examples/${project})`);
    }
  });

  it('shows only code of its example', () => {
    const excerpts = excerptsOf(page);
    expect(excerpts.length).toBeGreaterThan(0);
    expect(excerpts.filter((excerpt) => !isTrue(excerpt))).toEqual([]);
    const folders = excerpts.map(({ file }) => file.split('/')[1]);
    expect(new Set(folders)).toEqual(new Set(projects));
    const others = blocksOf(readDocument(page)).map(({ info }) => info);
    const kinds = others.filter((info) => !info.includes(' excerpt '));
    expect(kinds.filter((info) => !KINDS.includes(info))).toEqual([]);
  });

  it('has one command, and leaves the check of the certificate on', () => {
    const texts = projects.flatMap((project) => [
      commandOf(project),
      ...filesOf(project).map((file) => fileOf(project, file)),
    ]);
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

it('the recipe for Node loads the package by require', () => {
  const project = openNodeProject();
  project.write('main.cjs', blockOf(readDocument(pageOf('node')), 'js cjs'));
  expect(project.run('node main.cjs')).toMatch(/^https:\/\/localhost:\d+\n$/);
});

it('the recipe for Node shows types that find a mistake', () => {
  const project = openNodeProject();
  const code = blockOf(readDocument(pageOf('node')), 'ts typed');
  const check = (text: string): string => {
    project.write('prepare.ts', text);
    const tsc = `node '${join(ROOT, 'node_modules/typescript/bin/tsc')}' --noEmit --strict`;
    return project.run(
      `${tsc} --target es2023 --module nodenext --skipLibCheck --types '' prepare.ts || true`,
    );
  };
  expect(check(code)).toBe('');
  expect(check(code.replace('status:', 'statuss:'))).toContain("'statuss' does not exist");
});
