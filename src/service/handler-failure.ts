import { fileURLToPath } from 'node:url';
import { MomoMockError, readThrown } from '../errors.ts';
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
  const own = ownMessage(error);
  if (own !== undefined) return own.replace(/\.$/, '');
  const { name } = readThrown(error);
  return `it threw ${/^([aeo]|und)/i.test(name) ? 'an' : 'a'} ${name}`;
}

/** The message of an error of momo-mock itself, which quotes no values. */
export function ownMessage(error: unknown): string | undefined {
  try {
    if (error instanceof HandlerFailure) return error.message;
    // The one of a verification quotes what was received.
    const isOwn = error instanceof MomoMockError && error.code !== 'MOMO_MOCK_NOT_VERIFIED';
    return isOwn ? `${error.message}` : undefined;
  } catch {
    // A proxy that throws.
    return undefined;
  }
}

/** The innermost place of an error in a file that momo-mock has loaded from a fixture tree. */
export function placeOf(error: unknown): string | undefined {
  const { at } = readThrown(error);
  const [, url, line, column] = TREE_FRAME.exec(at.join('\n')) ?? [];
  if (url === undefined || !URL.canParse(url)) return undefined;
  return `${fileURLToPath(url)}:${line}:${column}`;
}
