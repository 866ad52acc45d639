import { readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { MomoMockError, systemCode } from '../errors.ts';
import type { Logger } from '../log/logger.ts';
import { snapshotOf } from '../mock/account/snapshot.ts';
import type { Mock } from '../mock/mock.ts';
import { monotonicTime, sleep, timeOfDay } from '../timers.ts';

/** The time from a change until it is written, in ms. */
const WAIT_MS = 1000;

/** Snapshots and their writes take at most this part of the time. */
const MAX_SHARE = 1 / 10;

/** After this time without use, an account that a test created is dropped, in ms. */
const UNUSED_MS = 7 * 86_400_000;

/**
 * Keeps what a mock remembers in a file, across restarts: restores it, and writes it after changes.
 * The file always has a whole snapshot, because a failed write leaves the last one.
 *
 * @returns what the mock could not restore, each a line for the log; and `close`, which writes the
 *   last changes, so call it after all requests have ended
 * @throws MomoMockError `MOMO_MOCK_SNAPSHOT_INVALID` if the file cannot be read or used
 */
export async function openSnapshotFile(given: string, mock: Mock, logger: Logger) {
  const json = await readFile(given, 'utf8').catch((error) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw unusable(given, `it cannot be read (${systemCode(error)})`);
  });
  // So that a link to the file stays one.
  const path = await realpath(given).catch(() => given);
  // One name, so that the draft of a killed process does not stay.
  const draft = join(dirname(path), `.${basename(path)}.draft`);
  const dropped = json === undefined ? [] : await restoreFrom(path, json, mock);
  const snapshot = () => `${JSON.stringify(snapshotOf(mock, mock.all))}\n`;
  let written = snapshot();
  let hasFailed = false;

  /** Never rejects. A failure is logged once, until a write succeeds. */
  const write = async (): Promise<void> => {
    const current = snapshot();
    if (current === written) return;
    try {
      await writeFile(draft, current, { mode: 0o600, flush: true });
      await rename(draft, path);
      written = current;
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) {
        logger.error(
          `Failed to write ${path}: ${systemCode(error)}. The mock continues, and the file keeps what was last written. Make room, or make its folder writable.`,
        );
      }
      hasFailed = true;
    }
  };

  const closing = new AbortController();
  const { signal } = closing;
  const watch = async (): Promise<void> => {
    let took = 0;
    for await (const batch of mock.all.follow({ limit: 1 }, signal)) {
      const { requests, webhooks, changes, dropped } = batch;
      if (requests.length + webhooks.length + changes.length + dropped === 0) continue;
      await sleep(Math.max(WAIT_MS, took / MAX_SHARE), undefined, { ref: false, signal });
      const began = monotonicTime();
      await write();
      took = monotonicTime() - began;
    }
  };
  const watching = watch().catch((error) => {
    if (!signal.aborted) throw error;
  });

  const close = async (): Promise<void> => {
    closing.abort();
    await watching;
    await write();
  };
  return { dropped, close };
}

async function restoreFrom(path: string, json: string, mock: Mock): Promise<readonly string[]> {
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

function unusable(path: string, problem: string): MomoMockError {
  const text = `Failed to read the snapshot ${path}: ${problem}. Restore or move the file, or set another MOMO_MOCK_SNAPSHOT_FILE. The file was not changed.`;
  return new MomoMockError('MOMO_MOCK_SNAPSHOT_INVALID', text);
}
