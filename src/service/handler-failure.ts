import { fileURLToPath } from 'node:url';
import { MomoMockError } from '../errors.ts';
import { TREE_FRAME } from '../mock/tree-frame.ts';

/** Why a handler gave no response that can be sent. */
export class HandlerFailure extends Error {
  /** @param message what happened, such as `it took too long`, without values of the request */
  constructor(message: string) {
    super(message);
    this.name = 'HandlerFailure';
  }
}

/**
 * What happened in a handler, in words. The message of an error may quote the request, so only its
 * name is told, unless it is an error of momo-mock itself, which never quotes values.
 */
export function causeOf(error: unknown): string {
  if (error instanceof HandlerFailure) return error.message;
  if (error instanceof MomoMockError) return error.message.replace(/\.$/, '');
  const name = error instanceof Error ? error.name : typeof error;
  return `it threw ${/^([aeo]|und)/i.test(name) ? 'an' : 'a'} ${name}`;
}

/** The innermost place of an error in a file that momo-mock has loaded from a fixture tree. */
export function placeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // The message may have lines like those of the stack.
  const stack = (error.stack ?? '').replace(error.message, '');
  const [, url, line, column] = TREE_FRAME.exec(stack) ?? [];
  return url === undefined ? undefined : `${fileURLToPath(url)}:${line}:${column}`;
}
