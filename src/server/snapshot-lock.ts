import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, open, readFile, rename, rm, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { MomoMockError, systemCode } from '../errors.ts';
import { clearInterval, setInterval, sleep, timeOfDay } from '../timers.ts';

/** How often a mock touches its lock, and another one looks at it, in ms. */
const TOUCH_MS = 1000;

/** How long a lock was not touched when it is stale, in ms. */
export const STALE_MS = 10_000;

/** A longer file in the place of a lock is not a lock. */
const MAX_LOCK_BYTES = 4096;

/** The locks that mocks of this thread hold, or are about to. */
const OWN = new Set<string>();

/** What a lock says about its process. Ids of processes repeat in containers and after a restart. */
interface Holder {
  readonly host: string;
  /** It is missing where the system has none. */
  readonly boot?: string | undefined;
  readonly pidNamespace?: string | undefined;
  readonly pid: number;
  readonly startTime?: string | undefined;
}

export interface SnapshotLock {
  /** @throws MomoMockError if this mock does not hold the lock, or no longer */
  check(): Promise<void>;
  /** Never rejects. */
  release(): Promise<void>;
}

/**
 * Locks a snapshot file for this mock, with a file beside it. The lock of a process of this machine is
 * free when the process has ended. Any other lock is free when nobody has touched it for 10 s.
 *
 * @param path the real path of the snapshot file, so that two paths to one file have one lock
 * @param wait waits until it is time to look at a lock again
 * @returns the lock; in a folder that is not writable, one that this mock never gets
 * @throws MomoMockError `MOMO_MOCK_SNAPSHOT_IN_USE` if another mock holds it
 */
export async function lockSnapshotFile(
  path: string,
  wait: () => Promise<unknown> = () => sleep(TOUCH_MS),
): Promise<SnapshotLock> {
  const lock = `${path}.lock`;
  // The id tells apart two mocks of one process.
  const own = JSON.stringify({ ...thisProcess(), id: randomUUID() });
  const isOwn = async () => (await look(lock))?.text === own;
  OWN.add(own);
  try {
    await take(lock, own, (holder) => inUse(path, holder), wait);
  } catch (error) {
    OWN.delete(own);
    if (error instanceof MomoMockError) throw error;
    const text = `Failed to write ${lock}: ${systemCode(error)}. Create its folder, make it writable, or make room, and restart the mock.`;
    const failed = new MomoMockError('MOMO_MOCK_FOLDER_UNUSABLE', text, { cause: error });
    return { check: () => Promise.reject(failed), release: async () => {} };
  }
  let isReleased = false;
  const touching = setInterval(async () => {
    const now = new Date(timeOfDay());
    // Without the check, the lock of another mock would seem to be in use after its end.
    const touch = async () => !isReleased && (await isOwn()) && (await utimes(lock, now, now));
    await touch().catch(() => {});
  }, TOUCH_MS).unref();
  return {
    check: async () => {
      if (await isOwn()) return;
      const text = `Failed to write ${path}: its lock ${lock} was deleted or replaced, so another mock may use the file. Give each mock a snapshot file of its own, and restart this one.`;
      throw new MomoMockError('MOMO_MOCK_SNAPSHOT_IN_USE', text);
    },
    release: async () => {
      isReleased = true;
      clearInterval(touching);
      const remove = async () => (await isOwn()) && (await rm(lock));
      await remove().catch(() => {});
      OWN.delete(own);
    },
  };
}

/**
 * Creates a lock. A stale one is replaced by a claim, which is a lock for that: of all who see the
 * stale one, only the holder of the claim may replace it.
 */
async function take(
  lock: string,
  own: string,
  refusal: (holder: Partial<Holder>) => Error,
  wait: () => Promise<unknown>,
): Promise<void> {
  while (!(await create(lock, own))) {
    const stale = await whenFree(lock, refusal, wait);
    if (stale === undefined) continue;
    const claim = `${lock}.claim`;
    await take(claim, own, refusal, wait);
    try {
      const now = await look(lock);
      if (now?.text === stale.text && now.touchedAt === stale.touchedAt) {
        await rename(claim, lock);
        return;
      }
    } catch (error) {
      await rm(claim, { force: true });
      throw error;
    }
    await rm(claim, { force: true });
  }
}

/** @returns `false` if there is a file already, or a link */
async function create(lock: string, own: string): Promise<boolean> {
  const file = await open(lock, 'wx', 0o600).catch((error) => {
    if (systemCode(error) === 'EEXIST') return undefined;
    throw error;
  });
  if (file === undefined) return false;
  try {
    await file.writeFile(own);
    return true;
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

interface Look {
  /** It is empty if another process is creating the lock. */
  readonly text: string;
  /** Only compared with itself: clocks of two machines differ. */
  readonly touchedAt: number;
  readonly isFile: boolean;
}

async function look(lock: string): Promise<Look | undefined> {
  try {
    const stats = await lstat(lock);
    const isFile = stats.isFile();
    const isRead = isFile && stats.size <= MAX_LOCK_BYTES;
    return { text: isRead ? await readFile(lock, 'utf8') : '', touchedAt: stats.mtimeMs, isFile };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** @returns the stale lock, or `undefined` if it has gone or changed hands meanwhile */
async function whenFree(
  lock: string,
  refusal: (holder: Partial<Holder>) => Error,
  wait: () => Promise<unknown>,
): Promise<Look | undefined> {
  const first = await look(lock);
  if (first === undefined) return undefined;
  const holder = holderIn(first.text);
  if (OWN.has(first.text)) throw refusal(holder);
  // No mock creates a link or a pipe.
  if (!first.isFile) return first;
  for (let looks = 0, seen: Look | undefined = first; ; looks++) {
    if (seen?.text !== first.text) return undefined;
    const life = lifeOf(holder);
    if (life === 'ended') return seen;
    const isTouched = seen.touchedAt !== first.touchedAt;
    const isOver = looks === STALE_MS / TOUCH_MS;
    // A mock of another machine may be about to end, so that this one takes its place.
    if (life === 'running' || (isTouched && (isOver || isHere(holder)))) throw refusal(holder);
    if (isOver) return seen;
    await wait();
    seen = await look(lock);
  }
}

function holderIn(text: string): Partial<Holder> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Whether the ids of a process mean the same here. */
function isHere({ host, boot, pidNamespace }: Partial<Holder>): boolean {
  const here = thisProcess();
  return host === here.host && boot === here.boot && pidNamespace === here.pidNamespace;
}

function lifeOf(holder: Partial<Holder>): 'running' | 'ended' | 'unknown' {
  const { pid = 0 } = holder;
  if (!isHere(holder) || !Number.isInteger(pid) || pid < 1) return 'unknown';
  // Another thread of this process may have ended without closing its mock.
  if (pid === process.pid && holder.startTime === statOf(pid).startTime) return 'unknown';
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM is for a process of another user.
    if (systemCode(error) === 'ESRCH') return 'ended';
  }
  const { isZombie, startTime } = statOf(pid);
  if (isZombie) return 'ended';
  if (startTime === undefined || holder.startTime === undefined) return 'unknown';
  return startTime === holder.startTime ? 'running' : 'ended';
}

function thisProcess(): Holder {
  const { pid } = process;
  return {
    host: hostname(),
    boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
    pid,
    startTime: statOf(pid).startTime,
  };
}

/** Of Linux. Elsewhere, and for a process that hides, nothing is known. */
function statOf(pid: number): { isZombie: boolean; startTime: string | undefined } {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? '';
  // The name of the program, in parentheses, may have spaces and parentheses.
  const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { isZombie: /^[ZX]/.test(state), startTime: rest[18] };
}

function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function inUse(path: string, holder: Partial<Holder>): MomoMockError {
  const { host, pid } = holder;
  const isNamed = typeof host === 'string' && Number.isInteger(pid);
  const of = isHere(holder) && pid === process.pid ? ' of this process' : '';
  const which = isNamed && of === '' ? ` (process ${pid} on ${host})` : '';
  const text = `Failed to open the snapshot file ${path}: another mock${of} uses it${which}. Stop that mock, or set another MOMO_MOCK_SNAPSHOT_FILE.`;
  return new MomoMockError('MOMO_MOCK_SNAPSHOT_IN_USE', text);
}
