import { METHODS } from 'node:http';
import { invalid } from '../errors.ts';
import { formOf } from '../mock/account/test-handlers.ts';
import type { Operation, Segment } from '../mock/operations/operation.ts';
import type { MomoOperation } from '../mock/operations/operation-name.ts';

const OPERATION_FORM = 'must be a method and a path, such as POST /momo/deposit/:reference';

/** An operation without a file, for a test's handler. */
export function handledOperation(name: string, handler: unknown): Operation {
  if (typeof name !== 'string') throw invalid('the operation', OPERATION_FORM);
  if (typeof handler !== 'function') throw invalid('the handler', 'must be a function');
  const [method = '', template = ''] = name.split(' ', 2);
  const isValidMethod = METHODS.includes(method) && method !== 'HEAD' && method !== 'CONNECT';
  if (!isValidMethod || !/^(\/[^/\s?#]+)+$/.test(template) || name !== `${method} ${template}`) {
    throw invalid('the operation', OPERATION_FORM);
  }
  const segments = template.slice(1).split('/').map(segmentOf);
  // For a request that was routed before a reset removed its handler.
  const fixture = { file: 'handle()', handler: () => ({ status: 404 }) };
  return {
    ...{ method, name: name as MomoOperation, template, segments, isAdded: true },
    ...{ default: fixture, variants: new Map() },
  };
}

/** The operation with the same method and path. Parameter names do not matter. */
export function sameOperation(
  operations: readonly Operation[],
  { name }: Operation,
): Operation | undefined {
  return operations.find((operation) => formOf(operation.name) === formOf(name));
}

function segmentOf(text: string): Segment {
  if (!text.startsWith(':')) return { literal: text };
  if (/^:[A-Za-z_]\w*$/.test(text)) return { parameter: text.slice(1) };
  throw invalid('the operation', OPERATION_FORM);
}
