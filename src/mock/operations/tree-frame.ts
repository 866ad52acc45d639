/**
 * A stack frame in a module of the fixture tree: its URL, line and column. Such a module is loaded
 * with its version in the query.
 */
export const TREE_FRAME: RegExp = /(file:\/\/\S+)\?momo-mock=\w+\.\d+:(\d+):(\d+)/;
