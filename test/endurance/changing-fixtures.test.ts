import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { startServer } from '../support/mock.ts';
import { show, times } from './scale.ts';

const CHANGES = times(1000, 17);

/** A whole version: each of its places says which it is. */
const version = (number: number) => JSON.stringify(Array.from({ length: 2000 }, () => number));

const clear = (file: string) => rmSync(file, { recursive: true, force: true });

/** What happens to a file before another version is put in its place, and what is said of it. */
const WAYS: readonly [what: string, change: (file: string) => void, said?: RegExp][] = [
  ['is written in place', () => {}],
  ['is removed', clear],
  ['is cut', (file) => truncateSync(file, 100), /balance\.get\.json:1:101: /],
  ['is emptied', (file) => truncateSync(file, 0), /balance\.get\.json:1:1: it is empty/],
  ['gives way to a folder', (file) => mkdirSync(file), /balance\.get\.json: it is a folder/],
  ['gives way to a link', (file) => symlinkSync('nothing', file), /a link to nothing/],
  ['gives way to itself', (file) => symlinkSync(file, file), /a link that leads to itself/],
  ['goes with its folder', (file) => clear(dirname(file))],
  ['goes with all folders', (file) => clear(dirname(dirname(file))), /there is no such folder/],
];

it('a fixture that is changed in every way under load is served whole, or in its last version', {
  timeout: 600_000,
}, async () => {
  const dir = join(temporaryFolder(), 'fixtures');
  const file = join(dir, 'momo/balance.get.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, version(0));
  const mock = await startServer({}, { FIXTURES_DIR: dir });
  const seen = new Set<unknown>();
  let isOver = false;
  let asked = 0;
  const asking = (async () => {
    for (; !isOver; asked++) {
      const { status, text } = await ask(mock);
      const [first] = text.includes('"success"') ? ['shipped'] : JSON.parse(text);
      if (first !== 'shipped') expect(text).toBe(version(first));
      expect(status).toBe(200);
      seen.add(first);
    }
  })();
  for (let number = 1; number <= CHANGES; number++) {
    const [what, change, expected] = WAYS[number % WAYS.length] as (typeof WAYS)[0];
    const before = mock.records.length;
    if (what.includes('gives')) clear(file);
    change(file);
    // Every other time it comes to rest, so that it is read in between.
    const rests = Math.floor(number / WAYS.length) % 2 === 0;
    const said = () => mock.records.slice(before).map(({ msg }) => msg);
    if (rests && expected) await expect.poll(() => said().join('\n')).toMatch(expected);
    if (what.includes('gives')) clear(file);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}~`, version(number));
    if (number % 2 === 0) renameSync(`${file}~`, file);
    else writeFileSync(file, version(number));
    if (rests) await expect.poll(() => seen.has(number)).toBe(true);
  }
  writeFileSync(file, version(-1));
  await expect.poll(() => seen.has(-1)).toBe(true);
  isOver = true;
  await asking;
  show(`${CHANGES} changes of a fixture: ${asked} responses, ${seen.size} versions, all whole`);
});
