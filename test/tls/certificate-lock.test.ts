import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeLeftovers, replaceFiles } from '../../src/tls/certificate-lock.ts';
import { temporaryFolder } from './temporary-folder.ts';

const LOCK = '.momo-mock.lock';

/** The lock of a process that was killed some seconds ago, with a file in it. */
function leaveLock(folder: string, seconds: number): void {
  mkdirSync(join(folder, LOCK));
  writeFileSync(join(folder, LOCK, 'half'), '');
  const then = Date.now() / 1000 - seconds;
  utimesSync(join(folder, LOCK), then, then);
}

const write = (folder: string, isUnchanged = () => true) =>
  replaceFiles(folder, [{ path: join(folder, 'a'), text: 'new', mode: 0o640 }], isUnchanged);

test('writes files whole, with their mode, into a folder that it makes, and leaves no lock', async () => {
  const folder = join(temporaryFolder(), 'one/two');
  await write(folder);
  expect(readdirSync(folder)).toEqual(['a']);
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new');
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o640);
});

test('writes nothing where the folder has changed', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a'), 'of another');
  await write(folder, () => false);
  expect(readdirSync(folder)).toEqual(['a']);
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('of another');
});

test.each([
  ['past', 60],
  ['future, since the clock was set back', -60],
])('takes over a lock of the %s', async (_case, seconds) => {
  const folder = temporaryFolder();
  leaveLock(folder, seconds);
  await write(folder);
  expect(readdirSync(folder)).toEqual(['a']);
});

test('two that write at the same time write one after the other', async () => {
  const folder = temporaryFolder();
  let count = 0;
  await Promise.all([1, 2].map(() => write(folder, () => ++count > 0)));
  expect(count).toBe(2);
  expect(readdirSync(folder)).toEqual(['a']);
});

test('a lock that was lost is no error, and overwrites nothing', async () => {
  const folder = temporaryFolder();
  await write(folder, () => {
    removeOld(folder);
    return true;
  });
  expect(readdirSync(folder)).toEqual([]);
});

/** What another process does to the lock of one that was suspended for a minute. */
function removeOld(folder: string): void {
  const then = Date.now() / 1000 - 60;
  utimesSync(join(folder, LOCK), then, then);
  removeLeftovers(folder);
}

test('removes what a killed process left, but no lock that is held, and needs none', () => {
  const folder = temporaryFolder();
  removeLeftovers(folder);
  leaveLock(folder, 1);
  removeLeftovers(folder);
  expect(readdirSync(folder)).toEqual([LOCK]);
  removeOld(folder);
  expect(readdirSync(folder)).toEqual([]);
});

test('says why a folder cannot be made', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await expect(write(join(file, 'certs'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});
