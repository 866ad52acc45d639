import { METHODS } from 'node:http';
import { invalid } from '../errors.ts';
import type { MomoHandler } from '../mock/operations/handler.ts';
import { identityOf, type Operation, type Segment } from '../mock/operations/operation.ts';
import type { MomoOperation } from '../mock/operations/operation-name.ts';

const OPERATION_FORM = 'must be a method and a path, such as POST /momo/deposit/:reference';
const TEMPLATE = /^(\/(:[A-Za-z_]\w*|[^:/\s?#][^/\s?#]*))+$/;

/** In place of a file, for a handler that a test has set. */
export const SET_HANDLER = 'handle()';

/** An operation that a test handles. If the fixture tree has it, {@link operationOf} completes it. */
export function handledOperation(
  name: string,
  handler: MomoHandler,
  strictPaths: boolean,
): Operation {
  if (typeof name !== 'string') throw invalid('the operation', OPERATION_FORM);
  if (typeof handler !== 'function') throw invalid('the handler', 'must be a function');
  const [method = '', template = ''] = name.split(' ', 2);
  const isValidMethod = METHODS.includes(method) && method !== 'HEAD' && method !== 'CONNECT';
  if (!isValidMethod || !TEMPLATE.test(template) || name !== `${method} ${template}`) {
    throw invalid('the operation', OPERATION_FORM);
  }
  const segments = template.slice(1).split('/').map(segmentOf);
  return {
    ...{ method, name: name as MomoOperation, template, segments },
    identity: identityOf(method, segments, strictPaths),
    default: { file: SET_HANDLER, handler },
    variants: new Map(),
  };
}

/**
 * The operation of a request. As in the router, a literal segment takes precedence over a parameter.
 *
 * @param handled what tests handle at its path: for its account, then for all
 * @param inTree the operation of the fixture tree, for which a handler replaces only the files
 */
export function operationOf(
  handled: readonly Operation[],
  inTree: Operation | undefined,
): Operation | undefined {
  if (handled.length === 0) return inTree;
  const all = inTree === undefined ? handled : [...handled, inTree];
  const [first] = all.toSorted((a, b) => parametersIn(a).localeCompare(parametersIn(b)));
  if (first === undefined || first.identity !== inTree?.identity) return first;
  // The handler gets the path parameters by its own names.
  const { segments, default: handler, variants } = first;
  return { ...inTree, segments, default: handler, variants };
}

/** Sorts operations at the same path: the places of their parameters. */
function parametersIn({ segments }: Operation): string {
  return segments.map((segment) => ('parameter' in segment ? 1 : 0)).join('');
}

function segmentOf(text: string): Segment {
  return text.startsWith(':') ? { parameter: text.slice(1) } : { literal: text };
}
