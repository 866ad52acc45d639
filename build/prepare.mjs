// Builds after `npm install` in a clone, and when npm packs it for others: `npm run prepare`. npx in a
// clone runs this each time, so it does nothing if dist is newer than all that it is made of.
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = ['src', 'build', 'package.json', 'package-lock.json'];
const MORE = ['tsconfig.json', 'tsconfig.build.json'];

if (newest() >= builtAt()) await import('./build.mjs');

/** When dist was built, in ms since 1970; 0 if it was not. */
function builtAt() {
  return statSync(join(ROOT, 'dist/momo-mock.cjs'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** When a source was changed last, in ms since 1970. That of a folder tells of removed files. */
function newest() {
  const paths = [...SOURCES, ...MORE].map((name) => join(ROOT, name));
  const inside = paths.flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true }).map((name) => join(path, name))
      : [],
  );
  return Math.max(...[...paths, ...inside].map((path) => statSync(path).mtimeMs));
}
