import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockSnapshotFile } from '../../src/server/snapshot-lock.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { describeUnless } from '../support/machine.ts';

const IN_USE = { code: 'MOMO_MOCK_SNAPSHOT_IN_USE' };

const newFile = () => join(temporaryFolder(), 'snapshot.json');
const neverWait = () => Promise.reject(new Error('it waited'));

/** Locks a file until the test is over. */
async function lock(file: string, wait?: () => Promise<unknown>) {
  const held = await lockSnapshotFile(file, wait);
  onTestFinished(() => held.release());
  return held;
}

/** What a lock of this process says. */
async function ownHolder(): Promise<Record<string, unknown>> {
  const file = newFile();
  await lock(file);
  return JSON.parse(readFileSync(`${file}.lock`, 'utf8'));
}

/** A file whose lock another process has written. */
async function lockedBy(holder: Record<string, unknown>): Promise<string> {
  const file = newFile();
  writeFileSync(`${file}.lock`, JSON.stringify({ ...(await ownHolder()), id: '', ...holder }));
  return file;
}

/** Waits as the mock does, without the time: the lock is touched meanwhile, if it is held. */
function looksAt(meanwhile: (look: number) => unknown = () => {}) {
  const looks = { count: 0, wait: async () => void meanwhile(++looks.count) };
  return looks;
}

const touch = (file: string, look: number) => utimesSync(`${file}.lock`, 0, 1000 + look);
/** What Linux says of a process, from its state on. */
function statOf(pid: number | undefined): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

const endedPid = () => spawnSync('true').pid;

it('a lock is readable by its owner only, and goes when it is released', async () => {
  const file = newFile();
  const held = await lock(file);
  expect(statSync(`${file}.lock`).mode & 0o777).toBe(0o600);
  await held.check();
  await held.release();
  expect(existsSync(`${file}.lock`)).toBe(false);
});

it('a lock is touched while it is held, and a lock that took its place is not', async () => {
  const [lost, held] = [newFile(), newFile()];
  await lock(lost);
  writeFileSync(`${lost}.lock`, 'of another mock');
  utimesSync(`${lost}.lock`, 0, 0);
  await lock(held);
  const touchedAt = (file: string) => statSync(`${file}.lock`).mtimeMs;
  // The other one was created first, so its time to be touched comes first.
  for (let touches = 0; touches < 2; touches++) {
    await expect.poll(() => touchedAt(held)).not.toBe(touchedAt(held));
  }
  expect(touchedAt(lost)).toBe(0);
});

it('a second mock of the same process does not get the lock', async () => {
  const file = newFile();
  const held = await lock(file);
  const message = expect.stringMatching(/^Failed to open .*another mock of this process uses it\./);
  await expect(lock(file, neverWait)).rejects.toMatchObject({ ...IN_USE, message });
  await held.check();
});

// Elsewhere, nothing says when a process started.
const NO_PROC = existsSync('/proc/self/stat') ? undefined : 'this system has no /proc';
describeUnless(NO_PROC, 'on this machine', () => {
  it('a process that runs keeps its lock, even if it does not touch it', async () => {
    const child = spawn('sleep', ['60']);
    onTestFinished(async () => {
      child.kill();
      await once(child, 'exit');
    });
    const file = await lockedBy({ pid: child.pid, startTime: statOf(child.pid)[19] });
    const message = expect.stringContaining(`(process ${child.pid} on `);
    await expect(lock(file, neverWait)).rejects.toMatchObject({ ...IN_USE, message });
  });

  it('the lock of a process that was killed is free, even if its parent has not noticed', async () => {
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; wait']);
    onTestFinished(async () => {
      parent.kill('SIGKILL');
      await once(parent, 'exit');
    });
    const [pid] = (await once(parent.stdout, 'data')).map(Number);
    const startTime = statOf(pid)[19];
    parent.kill('SIGSTOP');
    await expect.poll(() => statOf(parent.pid)[0]).toBe('T');
    process.kill(Number(pid), 'SIGKILL');
    await expect.poll(() => statOf(pid)[0]).toBe('Z');
    await (await lock(await lockedBy({ pid, startTime }), neverWait)).check();
  });

  it.each<[what: string, holder: () => Record<string, unknown>]>([
    ['that has ended', () => ({ pid: endedPid() })],
    ['whose id another process has now', () => ({ pid: process.ppid, startTime: '1' })],
    ['whose id this process has now', () => ({ pid: process.pid, startTime: '1' })],
  ])('the lock of a process %s is free at once', async (_what, holder) => {
    const file = await lockedBy(holder());
    const held = await lock(file, neverWait);
    await held.check();
    expect(readdirSync(join(file, '..'))).toEqual(['snapshot.json.lock']);
  });
});

describe.each<[what: string, holder: Record<string, unknown>]>([
  ['another host', { host: 'other' }],
  ['another run of the system', { boot: 'other' }],
  ['another container', { pidNamespace: 'other' }],
])('the lock of a process of %s', (_what, other) => {
  // It has no such process here.
  const holder = () => ({ ...other, pid: endedPid(), startTime: '1' });

  it('is free after ten looks without a touch', async () => {
    const file = await lockedBy(holder());
    const looks = looksAt();
    await (await lock(file, looks.wait)).check();
    expect(looks.count).toBe(10);
  });

  it('is not free if it was touched meanwhile', async () => {
    const file = await lockedBy(holder());
    const looks = looksAt((look) => touch(file, look));
    await expect(lock(file, looks.wait)).rejects.toMatchObject(IN_USE);
    expect(looks.count).toBe(10);
  });

  it('is free when that process releases it', async () => {
    const file = await lockedBy(holder());
    const looks = looksAt((look) => look === 3 && rmSync(`${file}.lock`));
    await (await lock(file, looks.wait)).check();
    expect(looks.count).toBe(3);
  });
});

it('the lock of another thread of this process is free after ten looks without a touch', async () => {
  const file = await lockedBy({});
  const looks = looksAt();
  await (await lock(file, looks.wait)).check();
  expect(looks.count).toBe(10);
});

it('a process whose start time is unknown keeps the lock if it touches it', async () => {
  const file = await lockedBy({ pid: process.ppid, startTime: undefined });
  const looks = looksAt((look) => touch(file, look));
  await expect(lock(file, looks.wait)).rejects.toMatchObject(IN_USE);
  expect(looks.count).toBe(1);
});

it.each<[what: string, text: string]>([
  ['empty, because its process was killed in between', ''],
  ['not JSON', '{'],
  ['null', 'null'],
  ['a number', '1'],
  ['of a process with an odd id', '{"pid":-1}'],
  ['long', '"'.padEnd(100_000, 'x')],
])('a lock that is %s is free after ten looks without a touch', async (_what, text) => {
  const file = newFile();
  writeFileSync(`${file}.lock`, text);
  const looks = looksAt();
  await (await lock(file, looks.wait)).check();
  expect(looks.count).toBe(10);
});

it.each<[what: string, make: (lock: string) => unknown]>([
  ['a link to a file', (lock) => symlinkSync('target', lock)],
  ['a link to nothing', (lock) => symlinkSync('nothing', lock)],
  ['a named pipe', (lock) => spawnSync('mkfifo', [lock])],
])('%s in the place of the lock is replaced, and not followed', async (_what, make) => {
  const file = newFile();
  const target = join(file, '../target');
  writeFileSync(target, 'kept');
  make(`${file}.lock`);
  await (await lock(file, neverWait)).check();
  expect(lstatSync(`${file}.lock`).isFile()).toBe(true);
  expect(lstatSync(`${file}.lock`).mode & 0o777).toBe(0o600);
  expect(readFileSync(target, 'utf8')).toBe('kept');
  expect(readdirSync(join(file, '..')).sort()).toEqual(['snapshot.json.lock', 'target']);
});

it('a folder in the place of the lock means that this mock never gets it, and says so', async () => {
  const file = newFile();
  mkdirSync(`${file}.lock`);
  const held = await lock(file);
  const message = expect.stringMatching(/^Failed to write .*snapshot\.json\.lock: EISDIR\. /);
  await expect(held.check()).rejects.toMatchObject({ code: 'MOMO_MOCK_FOLDER_UNUSABLE', message });
  expect(readdirSync(join(file, '..'))).toEqual(['snapshot.json.lock']);
});

it.each<[what: string, change: (lock: string) => void]>([
  ['deleted', (lock) => rmSync(lock)],
  ['replaced', (lock) => writeFileSync(lock, 'of another mock')],
])('a lock that was %s is lost, and what is in its place stays', async (_what, change) => {
  const file = newFile();
  const held = await lock(file);
  change(`${file}.lock`);
  const left = existsSync(`${file}.lock`);
  await expect(held.check()).rejects.toMatchObject({
    ...IN_USE,
    message: expect.stringContaining('snapshot.json.lock was deleted or replaced'),
  });
  await held.release();
  expect(existsSync(`${file}.lock`)).toBe(left);
});

describe('of many who see the same stale lock', () => {
  it('one gets it', async () => {
    const file = await lockedBy({ pid: endedPid() });
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => lock(file, neverWait)),
    );
    const held = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(held).toHaveLength(1);
    await held[0]?.check();
    expect(readdirSync(join(file, '..'))).toEqual([`${basename(file)}.lock`]);
  });

  it('one gets it if another was killed while it replaced the lock', async () => {
    const file = await lockedBy({ pid: endedPid() });
    const claim = await lockedBy({ pid: endedPid() });
    writeFileSync(`${file}.lock.claim`, readFileSync(`${claim}.lock`));
    await (await lock(file, neverWait)).check();
    expect(readdirSync(join(file, '..'))).toEqual([`${basename(file)}.lock`]);
  });

  it('one that comes to replace it after another has done so leaves the new one', async () => {
    const file = await lockedBy({ pid: endedPid() });
    const [claim, other] = [await lockedBy({ host: 'other' }), await lockedBy({ host: 'other' })];
    writeFileSync(`${file}.lock.claim`, readFileSync(`${claim}.lock`));
    // It has seen the stale lock, and waits because somebody replaces that.
    const looks = looksAt((look) => {
      if (look === 1) renameSync(`${other}.lock`, `${file}.lock`);
      if (look === 1) rmSync(`${file}.lock.claim`);
      touch(file, look);
    });
    await expect(lock(file, looks.wait)).rejects.toMatchObject(IN_USE);
    expect(readFileSync(`${file}.lock`, 'utf8')).toContain('"host":"other"');
    expect(readdirSync(join(file, '..'))).toEqual([`${basename(file)}.lock`]);
  });
});
