import { runInThisContext } from 'node:vm';

/** The `require` of Node itself, which loads a module once for all test files of jest. */
export function nodeRequire(from: string): NodeJS.Require {
  // jest replaces modules of Node by its own, except in the main context.
  const module = runInThisContext("process.getBuiltinModule('module')");
  return (module as typeof import('node:module')).createRequire(from);
}
