import { MomoMockError } from '../errors.ts';

interface Options {
  readonly limit?: number;
  readonly since?: number;
  readonly waitFor?: number;
  readonly timeout?: number;
}

/** Reads one journal again and again. What has ended is read once, because each entry is made when it is read. */
export class JournalTail<Entry extends { readonly id: number }> {
  readonly #read: (options: Options) => Promise<Entry[]>;
  readonly #hasEnded: (entry: Entry) => boolean;
  readonly #ended: Entry[] = [];

  constructor(read: (options: Options) => Promise<Entry[]>, hasEnded: (entry: Entry) => boolean) {
    this.#read = read;
    this.#hasEnded = hasEnded;
  }

  /**
   * All entries, also if the journal has dropped some.
   *
   * @throws MomoMockError as {@link newest}
   */
  async entries(): Promise<Entry[]> {
    const since = this.#ended.at(-1)?.id ?? 0;
    const newer = await newest((options) => this.#read({ ...options, since }));
    const running = newer.findIndex((entry) => !this.#hasEnded(entry));
    const ended = running === -1 ? newer : newer.slice(0, running);
    this.#ended.push(...ended);
    return [...this.#ended, ...newer.slice(ended.length)];
  }
}

/**
 * The newest entries of a journal, also if it has dropped others: an application that retries for ever
 * fills it.
 *
 * @throws MomoMockError of any other problem, which stops the drill
 */
export async function newest<Entry>(
  read: (options: Options) => Promise<Entry[]>,
): Promise<Entry[]> {
  const all = { limit: 10_000 };
  const isUnverified = (error: unknown) =>
    error instanceof MomoMockError && error.code === 'MOMO_MOCK_NOT_VERIFIED';
  try {
    return await read(all);
  } catch (error) {
    if (!isUnverified(error)) throw error;
  }
  try {
    // With waitFor, a journal does not have to be complete.
    return await read({ ...all, waitFor: 1, timeout: 1 });
  } catch (error) {
    if (!isUnverified(error)) throw error;
    return [];
  }
}
