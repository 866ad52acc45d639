import { forSuite } from '../support/mock.ts';
import { openShell, type Ready } from './shell.ts';

/**
 * Starts a mock for all tests of a `describe`, which use it one after the other.
 *
 * @param line starts it
 * @returns a function that resets the mock, whose certificate is in the folder of each shell
 */
export function shareMock(line: string): () => Promise<Ready> {
  const ready = forSuite((over) => openShell(over).start(line));
  return async () => {
    await fetch(`${ready().controlUrl}/reset`, { method: 'POST' });
    return ready();
  };
}
