import type { FixtureTree } from '../../src/mock/operations/operation.ts';

/** A fixture tree without files. */
export const EMPTY_TREE: FixtureTree = {
  strictPaths: false,
  operations: [],
  errors: new Map(),
  errorHandlers: new Map(),
  read: async () => undefined,
};
