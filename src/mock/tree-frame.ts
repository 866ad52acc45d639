/**
 * A frame of a stack in a module of the fixture tree, which is loaded with its version in the query:
 * its URL, the line and the column.
 */
export const TREE_FRAME: RegExp = /(file:\/\/\S+)\?momo-mock=\w+\.\d+:(\d+):(\d+)/;
