import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { codeOf, DOCUMENTS, ROOT, readDocument } from './documents.ts';

it.each(DOCUMENTS)('%s links to files that there are', (path) => {
  const links = [...readDocument(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to);
  const local = links.filter((to) => !/^https:/.test(to)).map((to) => to.replace(/#.*/, ''));
  expect(local.filter((to) => !existsSync(join(ROOT, dirname(path), to)))).toEqual([]);
});

it.each(DOCUMENTS)('%s shows npm scripts that there are', (path) => {
  const { scripts } = JSON.parse(readDocument('package.json'));
  const shown = codeOf(readDocument(path))
    .flatMap((line) => line.split(' && '))
    .flatMap((line) => /^(?:\$ )?npm (?:run )?([a-z:]+)/.exec(line)?.[1] ?? [])
    .filter((name) => !['ci', 'install', 'pack'].includes(name));
  expect(shown.filter((name) => !(name in scripts))).toEqual([]);
});

it('CONTRIBUTING shows parts of the sources that there are', () => {
  const shown = codeOf(readDocument('CONTRIBUTING.md')).flatMap(
    (line) => /^((?:src|test|fixtures)[\w/.-]*) {2,}/.exec(line)?.[1] ?? [],
  );
  expect(shown.length).toBeGreaterThan(4);
  expect(shown.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
