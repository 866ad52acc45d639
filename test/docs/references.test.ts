import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import GithubSlugger from 'github-slugger';
import { expect, it } from 'vitest';
import { codeOf, DOCUMENTS, ROOT, readDocument, rowsBelow } from './documents.ts';

/** The anchors of a page, as GitHub names them. */
function anchorsOf(path: string): string[] {
  const slugger = new GithubSlugger();
  const prose = readDocument(path).replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugger.slug(heading));
}

it.each(DOCUMENTS)('%s links only to existing files and headings', (path) => {
  const links = [...readDocument(path).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)];
  const pictures = [...readDocument(path).matchAll(/ src(?:set)?="([^"]+)"/g)];
  const local = [...links, ...pictures].flatMap(([, to = '']) => (/^https:/.test(to) ? [] : [to]));
  const broken = local.filter((to) => {
    const [file = '', anchor] = to.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});

it.each(DOCUMENTS)('%s shows only npm scripts that exist', (path) => {
  const { scripts } = JSON.parse(readDocument('package.json'));
  const shown = codeOf(readDocument(path))
    .flatMap((line) => line.split(' && '))
    .flatMap((line) => /^(?:\$ )?npm (?:run )?([a-z:]+)/.exec(line)?.[1] ?? [])
    .filter((name) => !['ci', 'install', 'pack'].includes(name));
  expect(shown.filter((name) => !(name in scripts))).toEqual([]);
});

it('CONTRIBUTING shows only parts of the sources that exist', () => {
  const shown = codeOf(readDocument('CONTRIBUTING.md')).flatMap(
    (line) => /^((?:src|test|fixtures)[\w/.-]*) {2,}/.exec(line)?.[1] ?? [],
  );
  expect(shown.length).toBeGreaterThan(4);
  expect(shown.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('test/reliability.md shows only commands for tests that exist', () => {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true }).map((name) => `test/${name}`);
  const shown = codeOf(readDocument('test/reliability.md'));
  const wanted = shown.flatMap((line) => /^npm test -- (.+)/.exec(line)?.[1]?.split(' ') ?? []);
  expect(wanted.length).toBeGreaterThan(20);
  const isThere = (word: string) =>
    files.some((file) => file.endsWith('.test.ts') && file.includes(word));
  expect(wanted.filter((word) => !isThere(word))).toEqual([]);
});

it('docs/README.md links every page of docs, or the page that lists its folder', () => {
  const linked = [...readDocument('docs/README.md').matchAll(/\]\(([^)#]+)/g)].map(([, to]) => to);
  const pages = DOCUMENTS.flatMap((path) => /^docs\/(.*)$/.exec(path)?.[1] ?? []);
  const own = pages.filter((page) => page !== 'README.md' && !/\/(?!README)/.test(page));
  expect(own.filter((page) => !linked.includes(page))).toEqual([]);
});

/** The pages of users, but for the index, which is the top. */
const PAGES = DOCUMENTS.filter((path) => /^docs\//.test(path) && path !== 'docs/README.md');

/** Where a page's links lead, without anchors, from the folder of the project. */
const targetsIn = (path: string, text: string) =>
  [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, to = '']) => join(dirname(path), to));

it.each(PAGES)('%s has a line up, below its title, and a line on, at its end', (path) => {
  const lines = readDocument(path).trim().split('\n');
  const [, , up = ''] = lines;
  const [, folder = ''] = /^docs\/(recipes|providers)\/(?!README)/.exec(path) ?? [];
  const indexes: Record<string, string> = {
    recipes: 'docs/recipes/README.md',
    providers: 'docs/providers.md',
  };
  expect(targetsIn(path, up)).toEqual([indexes[folder] ?? 'docs/README.md']);
  expect(up).toMatch(/^\[(Documentation|Recipes|Providers)\]\(\S+\)$/);
  const on = lines.at(-1) ?? '';
  expect(on).toMatch(/^Next: /);
  expect(targetsIn(path, on).filter((to) => to !== path)).not.toEqual([]);
});

const CONCEPTS = rowsBelow(readDocument('docs/concepts.md'), 'Concepts').map(([word = '']) => word);

it.each(PAGES)('%s links Concepts, if it uses one of its words', (path) => {
  const prose = readDocument(path).replaceAll(/^```[\s\S]*?^```$/gm, '');
  const used = CONCEPTS.filter((word) => new RegExp(`\\b${word}s?\\b`, 'i').test(prose));
  const links = [...targetsIn(path, prose), path];
  expect(used.length === 0 || links.includes('docs/concepts.md'), used.join(', ')).toBe(true);
});

it('docs/concepts.md shows on its first screen the words that other pages use', () => {
  expect(CONCEPTS).toEqual(
    expect.arrayContaining([
      ...['account', 'all accounts', 'operation', 'fixture', 'variant', 'scripted response'],
      ...['handler', 'state', 'clock', 'webhook', 'journal', 'preset'],
    ]),
  );
});
