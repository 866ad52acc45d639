import type { Double } from './core/double.ts';
import type { FixtureTree } from './core/operation.ts';
import { MomoMockError } from './errors.ts';
import { watchFixtureTree } from './fixtures/watch.ts';
import { describeBug, type Logger } from './logger.ts';

/** What is watched, and what is done on a change. */
export interface ReloadOptions {
  /** The user's fixture tree. */
  readonly dir: string;
  /** Reads the whole tree anew, with every check. */
  readonly read: () => Promise<FixtureTree>;
  readonly double: Double;
  readonly logger: Logger;
}

/**
 * Reads the fixture tree again as a whole whenever a file of it changes, and serves it from the
 * next request on. A tree that cannot be served changes nothing: the last good one stays.
 *
 * @returns a function that ends it
 */
export function reloadOnChange(options: ReloadOptions): () => Promise<void> {
  const { dir, read, double, logger } = options;
  let level: 'debug' | 'info' = 'debug';
  const reload = async (): Promise<void> => {
    try {
      double.replaceTree(await read());
      logger[level]({ operations: double.operations }, 'fixtures read again');
      // The first time is for what changed during the start, mostly nothing.
      level = 'info';
    } catch (error) {
      const text = error instanceof MomoMockError ? error.message : describeBug(error).error;
      logger.error(`${text}\nThe fixtures from before this change are still served.`);
    }
  };
  const onError = (error: unknown): void => {
    const { code } = error as NodeJS.ErrnoException;
    logger.warn(`Failed to watch ${dir}: ${code}. Restart to have changes of it served.`);
  };
  const watcher = watchFixtureTree({ dir, onChange: reload, onError });
  return async () => (await watcher).close();
}
