import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/** A file of `src`. */
export interface Source {
  /** Its path below `src`, with `/`, such as `core/mock.ts`. */
  readonly path: string;
  /** Its first folder, or its own name where it lies in `src` itself. */
  readonly part: string;
  /** Its text without comments and quoted strings. */
  readonly code: string;
  /** Paths below `src` of what it imports from there; types count, too. */
  readonly local: readonly string[];
  /** Those of them from which it imports more than types. */
  readonly values: readonly string[];
  /** Packages and modules of Node that it imports. */
  readonly packages: readonly string[];
}

/** The part that a path below `src` belongs to. */
export function partOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : path;
}

/** Takes a file apart. */
export function parseSource(path: string, text: string): Source {
  const imported = namesIn(withoutComments(text));
  const isLocal = (name: string) => name.startsWith('.');
  const pathOf = (name: string) => join(dirname(path), name);
  return {
    path,
    part: partOf(path),
    code: withoutComments(text).replace(QUOTED, "''"),
    local: imported.filter(isLocal).map(pathOf),
    values: namesIn(withoutComments(text).replace(TYPES, '')).filter(isLocal).map(pathOf),
    packages: imported.filter((name) => !isLocal(name)),
  };
}

/** All files of `src`. */
export function readSources(): Source[] {
  return readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => parseSource(relative(SRC, file), readFileSync(file, 'utf8')))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** `from 'x'`, `import 'x'`, `import('x')` */
const IMPORT = /\b(?:from|import)\s*\(?\s*'([^']+)'/g;
/** An import of types alone. */
const TYPES = /\bimport type\b[^;]*;/g;
const QUOTED = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
const COMMENT_OR_QUOTED = new RegExp(`${QUOTED.source}|//.*|/\\*[\\s\\S]*?\\*/`, 'g');

function namesIn(code: string): string[] {
  return [...code.matchAll(IMPORT)].map(([, name = '']) => name);
}

function withoutComments(text: string): string {
  return text.replace(COMMENT_OR_QUOTED, (found) => (found.startsWith('/') ? '' : found));
}
