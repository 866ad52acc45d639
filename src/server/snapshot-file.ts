import { readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { MomoMockError, systemCode } from '../errors.ts';
import type { Logger } from '../log/logger.ts';
import { snapshotOf } from '../mock/account/snapshot.ts';
import type { Mock } from '../mock/mock.ts';
import { clearTimeout, monotonicTime, setTimeout, timeOfDay } from '../timers.ts';

/** The time from a change until it is written, in ms. */
const WAIT_MS = 1000;

/** Snapshots and their writes take at most this part of the time. */
const MAX_SHARE = 1 / 10;

/** After this time without use, an account that a test created is dropped, in ms. */
const UNUSED_MS = 7 * 86_400_000;

/**
 * Keeps what a mock remembers in a file, across restarts. The file always has a whole snapshot: a
 * failed write leaves the last one.
 */
export class SnapshotFile {
  /** What the file had and the mock could not restore, each a line for the log. */
  dropped: readonly string[] = [];
  readonly #path: string;
  readonly #mock: Mock;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  #written = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** How long the last snapshot took, with its write, in ms. */
  #took = 0;
  #hasFailed = false;

  /**
   * Restores the mock from the file, if it exists.
   *
   * @throws MomoMockError `MOMO_MOCK_SNAPSHOT_INVALID` if the file cannot be read or used. It is
   *   left as it is
   */
  static async open(path: string, mock: Mock, logger: Logger): Promise<SnapshotFile> {
    const json = await readFile(path, 'utf8').catch((error) => {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw unusable(path, `it cannot be read (${systemCode(error)})`);
    });
    // So that a link to the file stays one.
    const file = new SnapshotFile(await realpath(path).catch(() => path), mock, logger);
    if (json !== undefined) await file.#restore(json);
    file.#written = file.#snapshot();
    void file.#watch();
    return file;
  }

  private constructor(path: string, mock: Mock, logger: Logger) {
    this.#path = path;
    this.#mock = mock;
    this.#logger = logger;
  }

  /** Writes the last changes. Call it after all requests have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#writing;
    await this.#write();
  }

  async #restore(json: string): Promise<void> {
    const usedSince = new Date(timeOfDay() - UNUSED_MS).toISOString().slice(0, 10);
    const { restore } = await import('../mock/account/restore.ts');
    try {
      this.dropped = restore(this.#mock, this.#mock.all, JSON.parse(json), {
        path: this.#path,
        usedSince,
      });
    } catch (error) {
      if (error instanceof SyntaxError) throw unusable(this.#path, 'it is not JSON');
      if (!(error instanceof MomoMockError)) throw error;
      throw unusable(this.#path, error.message);
    }
  }

  /** Writes about a second after each change. Requests count as changes, too. */
  async #watch(): Promise<void> {
    const events = this.#mock.all.follow({ limit: 1 }, this.#closing.signal);
    for await (const { requests, webhooks, changes } of events) {
      if (requests.length + webhooks.length + changes.length > 0) this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#closing.signal.aborted) return;
    const wait = Math.max(WAIT_MS, this.#took / MAX_SHARE);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#writing.then(() => this.#write());
    }, wait).unref();
  }

  /** Never rejects. A failure is logged once, until a write succeeds. */
  async #write(): Promise<void> {
    const began = monotonicTime();
    const json = this.#snapshot();
    if (json !== this.#written) await this.#replace(json);
    this.#took = monotonicTime() - began;
  }

  async #replace(json: string): Promise<void> {
    // One name, so that the draft of a killed process does not stay.
    const draft = join(dirname(this.#path), `.${basename(this.#path)}.draft`);
    try {
      await writeFile(draft, json, { mode: 0o600, flush: true });
      await rename(draft, this.#path);
      this.#written = json;
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) {
        this.#logger.error(
          `Failed to write ${this.#path}: ${systemCode(error)}. The mock continues, and the file keeps what was last written. Make room, or make its folder writable.`,
        );
      }
      this.#hasFailed = true;
    }
  }

  #snapshot(): string {
    return `${JSON.stringify(snapshotOf(this.#mock, this.#mock.all))}\n`;
  }
}

function unusable(path: string, problem: string): MomoMockError {
  const text = `Failed to read the snapshot ${path}: ${problem}. Restore or move the file, or set another MOMO_MOCK_SNAPSHOT_FILE. The file was not changed.`;
  return new MomoMockError('MOMO_MOCK_SNAPSHOT_INVALID', text);
}
