import { runInThisContext } from 'node:vm';

// jest replaces modules of Node by its own, except in the main context.
const { createRequire } = runInThisContext(
  "process.getBuiltinModule('module')",
) as typeof import('node:module');

/** The `require` of Node itself, which loads a module once for all test files of jest. */
export function nodeRequire(from: string): NodeJS.Require {
  return createRequire(from);
}
