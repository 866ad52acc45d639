import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSources } from '../architecture/sources.ts';
import { codeOf, ROOT, readDocument, rowsBelow } from './documents.ts';

it('CONTRIBUTING names all libraries that the sources import', () => {
  const named = rowsBelow(readDocument('CONTRIBUTING.md'), 'What it is built on').flatMap(
    ([names = '']) => names.split(', '),
  );
  const imported = readSources()
    .flatMap(({ packages }) => packages)
    .filter((name) => /^(?!node:|vitest$)[@a-z]/.test(name))
    .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0]);
  expect(named.sort()).toEqual([...new Set(imported)].sort());
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(named.filter((name) => !(name in devDependencies))).toEqual([]);
});

it('CONTRIBUTING names all files of the build', () => {
  const named = codeOf(readDocument('CONTRIBUTING.md')).flatMap(
    (line) => /^build\/([\w.-]+) {2,}/.exec(line)?.[1] ?? [],
  );
  expect(named.sort()).toEqual(readdirSync(join(ROOT, 'build')).sort());
});
