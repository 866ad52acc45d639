import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import {
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { MomoMockError, readThrown, systemCode } from '../errors.ts';
import { type Logger, logBug } from '../log/logger.ts';
import { snapshotOf } from '../mock/account/snapshot.ts';
import { isTooDeep, TOO_DEEP } from '../mock/json/json-of.ts';
import { MAX_BODY_LEVELS, MAX_SNAPSHOT_BYTES } from '../mock/limits.ts';
import type { Mock } from '../mock/mock.ts';
import { monotonicTime, sleep, timeOfDay } from '../timers.ts';
import { lockSnapshotFile, type SnapshotLock } from './snapshot-lock.ts';

/** The time from a change until it is written, in ms. */
const WAIT_MS = 1000;

/** Snapshots and their writes take at most this part of the time. */
const MAX_SHARE = 1 / 10;

const UUID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/;

/** After this time without use, an account that a test created is dropped, in ms. */
const UNUSED_MS = 7 * 86_400_000;

/** The log names the limit of a snapshot once the file has this part of it. */
const WARNED_SHARE = 3 / 4;

const LIMIT = `${MAX_SNAPSHOT_BYTES / 1_048_576} MiB, the limit of a snapshot`;
const FORGET = 'Reset the mock, or remove accounts and state that nobody needs.';

/**
 * Keeps what a mock remembers in a file, across restarts: restores it, and writes it after changes.
 * The file always has a whole snapshot, because a failed write leaves the last one.
 */
export class SnapshotFile {
  readonly #path: string;
  readonly #lock: SnapshotLock;
  readonly #mock: Mock;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  #watching: Promise<void> | undefined;
  /** The snapshot in the file. */
  #written: string | undefined;
  #hasFailed = false;
  #hasWarned = false;
  /** Lines for the log: what could not be restored, and why a missing file could not be created. */
  readonly warnings: string[] = [];

  /**
   * In a folder that is not writable, the mock starts but keeps nothing: mocks may share a prepared
   * file on a read-only volume.
   *
   * @throws MomoMockError `MOMO_MOCK_SNAPSHOT_INVALID` if the file cannot be read or used,
   *   `MOMO_MOCK_SNAPSHOT_IN_USE` if another mock uses it
   */
  static async open(given: string, mock: Mock, logger: Logger): Promise<SnapshotFile> {
    const path = await realPathOf(given);
    const lock = await lockSnapshotFile(path);
    const file = new SnapshotFile(path, lock, mock, logger);
    try {
      await file.#restoreOrCreate();
    } catch (error) {
      await lock.release();
      throw error;
    }
    file.#watching = file.#watch();
    return file;
  }

  private constructor(path: string, lock: SnapshotLock, mock: Mock, logger: Logger) {
    this.#path = path;
    this.#lock = lock;
    this.#mock = mock;
    this.#logger = logger;
  }

  /** Writes the last changes, so call it after all requests have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#watching;
    await this.#keep(true);
    await this.#lock.release();
  }

  async #restoreOrCreate(): Promise<void> {
    const json = await readSnapshot(this.#path);
    if (json === undefined) {
      await this.#write().catch((error) => this.warnings.push(this.#failure(error)));
    } else {
      this.warnings.push(...(await restoreFrom(this.#path, json, this.#mock)));
      // Until something changes, the file stays as it is, even if not all of it was restored.
      this.#written = this.#snapshotIfPossible();
    }
    await this.#deleteDrafts();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    let took = 0;
    try {
      for await (const batch of this.#mock.all.follow({ limit: 1 }, signal)) {
        const { requests, webhooks, changes, dropped } = batch;
        if (requests.length + webhooks.length + changes.length + dropped === 0) continue;
        await sleep(Math.max(WAIT_MS, took / MAX_SHARE), undefined, { ref: false, signal });
        const began = monotonicTime();
        await this.#keep();
        took = monotonicTime() - began;
      }
    } catch (error) {
      if (!signal.aborted) logBug(this.#logger, error, 'Failed to follow the changes of the mock.');
    }
  }

  /** Never rejects. A failure is logged once, until a write succeeds, and for the last write again. */
  async #keep(isLast = false): Promise<void> {
    try {
      await this.#write();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed || isLast) {
        const text = this.#failure(error, isLast);
        if (isBug(error)) logBug(this.#logger, error, text);
        else this.#logger.error(text);
      }
      this.#hasFailed = true;
    }
  }

  async #write(): Promise<void> {
    const current = this.#snapshot();
    if (current === this.#written) return;
    const bytes = Buffer.byteLength(current);
    await this.#lock.check();
    const draft = this.#draftPath(randomUUID());
    try {
      await writeFile(draft, current, { mode: 0o600, flag: 'wx', flush: true });
      // Another machine may have taken it, if this process stood still during the write.
      await this.#lock.check();
      await rename(draft, this.#path);
    } finally {
      await rm(draft, { force: true }).catch(() => {});
    }
    this.#written = current;
    if (bytes > MAX_SNAPSHOT_BYTES * WARNED_SHARE) this.#warnOfLimit();
  }

  #snapshot(): string {
    return `${JSON.stringify(snapshotOf(this.#mock, this.#mock.all))}\n`;
  }

  /** The next write says why it is not. */
  #snapshotIfPossible(): string | undefined {
    try {
      return this.#snapshot();
    } catch {
      return undefined;
    }
  }

  #draftPath(id: string): string {
    return join(dirname(this.#path), `.${basename(this.#path)}.${id}.draft`);
  }

  /** Every draft belongs to a process that was killed, because this one has the lock. */
  async #deleteDrafts(): Promise<void> {
    try {
      await this.#lock.check();
      const folder = dirname(this.#path);
      for (const name of await readdir(folder)) {
        const [id] = UUID.exec(name) ?? [''];
        const path = join(folder, name);
        if (path === this.#draftPath(id)) await rm(path);
      }
    } catch {
      // They only take room.
    }
  }

  #warnOfLimit(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#logger.warn(
      `${this.#path} is longer than three quarters of ${LIMIT}. Beyond the limit, it is not written. ${FORGET}`,
    );
  }

  #failure(error: unknown, isLast = false): string {
    const fate = isLast
      ? 'The file keeps what was last written, and all later changes are lost.'
      : 'The mock continues, and the file keeps what was last written.';
    if (error instanceof MomoMockError) return `${error.message} ${fate}`;
    const cause = systemCode(error) ?? readThrown(error).name;
    return `Failed to write ${this.#path}: ${cause}. ${fate} Make room, or make its folder writable.`;
  }
}

/** So that a link to the file stays one, even if its target is missing. */
async function realPathOf(given: string): Promise<string> {
  try {
    return await realpath(given);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw unreadable(given, error);
    const folder = await realpath(dirname(given)).catch(() => resolve(dirname(given)));
    const path = join(folder, basename(given));
    const target = await readlink(path).catch(() => undefined);
    return target === undefined ? path : await realPathOf(resolve(folder, target));
  }
}

/** @returns `undefined` if there is no file */
async function readSnapshot(path: string): Promise<string | undefined> {
  try {
    const stats = await stat(path);
    // Opening a named pipe would wait for its writer.
    if (!stats.isFile()) throw unusable(path, 'it is not a regular file');
    if (stats.size > MAX_SNAPSHOT_BYTES) throw unusable(path, `it is longer than ${LIMIT}`);
    const bytes = await readFile(path);
    if (!isUtf8(bytes)) throw unusable(path, 'it is not UTF-8');
    return bytes.toString();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error instanceof MomoMockError ? error : unreadable(path, error);
  }
}

async function restoreFrom(path: string, json: string, mock: Mock): Promise<readonly string[]> {
  if (isTooDeep(json, MAX_BODY_LEVELS)) throw unusable(path, `it ${TOO_DEEP}`);
  const usedSince = new Date(timeOfDay() - UNUSED_MS).toISOString().slice(0, 10);
  const { restore } = await import('../mock/account/restore.ts');
  try {
    return restore(mock, mock.all, JSON.parse(json), { path, usedSince }).dropped;
  } catch (error) {
    if (error instanceof SyntaxError) throw unusable(path, 'it is not JSON');
    if (!(error instanceof MomoMockError)) throw error;
    throw unusable(path, error.message);
  }
}

function unreadable(path: string, error: unknown): MomoMockError {
  return unusable(path, `it cannot be read (${systemCode(error)})`);
}

function unusable(path: string, problem: string): MomoMockError {
  const text = `Failed to read the snapshot ${path}: ${problem}. Restore or move the file, or set another MOMO_MOCK_SNAPSHOT_FILE. The file was not changed.`;
  return new MomoMockError('MOMO_MOCK_SNAPSHOT_INVALID', text);
}

function isBug(error: unknown): boolean {
  return !(error instanceof MomoMockError) && systemCode(error) === undefined;
}
