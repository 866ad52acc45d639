import { setTimeout as sleep } from 'node:timers/promises';
import { MomoMockError } from './errors.ts';
import { describeBug, type Logger } from './logger.ts';
import type { Mock } from './mock/mock.ts';
import type { FixtureTree } from './mock/operation.ts';

/** What is watched, and what is done on a change. */
export interface ReloadOptions {
  /** The user's fixture tree. */
  readonly dir: string;
  /** Reads the whole tree anew, with every check. */
  readonly read: () => Promise<FixtureTree>;
  readonly mock: Mock;
  readonly serve: (tree: FixtureTree) => Promise<void>;
  readonly logger: Logger;
}

/**
 * When the watch begins, in ms: in a large tree it takes longer than all the rest of a start, and
 * whoever waits for that comes first. What changes until then is seen when it stands.
 */
const LATER = 300;
/** When a file is tried again that the system would not read, in ms: no watch tells of its mend. */
const RETRY = 1000;

/**
 * Reads the fixture tree again as a whole whenever a file of it changes, and serves it from the
 * next request on. A tree that cannot be served changes nothing: the last good one stays.
 *
 * @returns a function that ends it
 */
export function reloadOnChange(options: ReloadOptions): () => Promise<void> {
  const { dir, read, mock, serve, logger } = options;
  let level: 'debug' | 'info' = 'debug';
  /** What was last said of a tree that the system would not read. */
  let trouble: string | undefined;
  const reload = async (): Promise<void> => {
    try {
      await serve(await read());
      trouble = undefined;
      logger[level]({ operations: mock.operations }, 'fixtures read again');
      // The first time is for what changed during the start, mostly nothing.
      level = 'info';
    } catch (error) {
      const text = error instanceof MomoMockError ? error.message : describeBug(error).error;
      if (error instanceof MomoMockError && error.cause !== undefined) {
        setTimeout(async () => (await watcher)?.again(), RETRY).unref();
        if (text === trouble) return;
        trouble = text;
      }
      logger.error(`${text}\nThe fixtures from before this change are still served.`);
    }
  };
  const onError = (error: unknown): void => {
    const { code } = error as NodeJS.ErrnoException;
    logger.warn(`Failed to watch ${dir}: ${code}. Restart to have changes of it served.`);
  };
  const ending = new AbortController();
  const begin = async () => {
    await sleep(LATER, undefined, { signal: ending.signal, ref: false });
    const { watchFixtureTree } = await import('./fixtures/watch.ts');
    return await watchFixtureTree({ dir, onChange: reload, onError });
  };
  const watcher = begin().catch((error) => {
    if (!ending.signal.aborted) onError(error);
    return undefined;
  });
  return async () => {
    ending.abort();
    await (await watcher)?.close();
  };
}
