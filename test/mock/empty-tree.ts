import type { FixtureTree } from '../../src/mock/operation.ts';

/** A fixture tree without files. */
export const EMPTY_TREE: FixtureTree = {
  operations: [],
  errors: new Map(),
  errorHandlers: new Map(),
  read: async () => undefined,
};
