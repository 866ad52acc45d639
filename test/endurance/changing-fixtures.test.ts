import { mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder } from '../support/command.ts';
import { runMock } from '../support/running-mock.ts';
import { show, times } from './scale.ts';

const CHANGES = times(1000, 17);

/** A whole version: each of its places says which it is. */
function version(number: number): string {
  return JSON.stringify(Array.from({ length: 2000 }, () => number));
}

/** Removes whatever is in a file's place. */
const clear = (file: string) => rm(file, { recursive: true, force: true });

/** What happens to a file; after each, another version is put in its place. */
const WAYS: Record<string, (file: string) => Promise<unknown>> = {
  'is written in place': async () => {},
  'is removed': (file) => rm(file),
  'is cut': (file) => truncate(file, 100),
  'is emptied': (file) => truncate(file, 0),
  'gives way to a folder': async (file) => {
    await clear(file);
    await mkdir(file);
  },
  'gives way to a link to nothing': async (file) => {
    await clear(file);
    await symlink('nothing', file);
  },
  'gives way to a link to itself': async (file) => {
    await clear(file);
    await symlink(file, file);
  },
  'goes with its folder': (file) => clear(dirname(file)),
  'goes with all folders': (file) => clear(dirname(dirname(file))),
};

/** What is said of those that leave nothing to serve. */
const SAID: Record<string, RegExp> = {
  'is cut': /balance\.get\.json:1:101: /,
  'is emptied': /balance\.get\.json:1:1: it is empty/,
  'gives way to a folder': /balance\.get\.json: it is a folder/,
  'gives way to a link to nothing': /it is a link to nothing/,
  'gives way to a link to itself': /it is a link that leads to itself/,
  'goes with all folders': /there is no such folder/,
};

test('a fixture that is changed in every way under load is served whole, or as it last was', {
  timeout: 600_000,
}, async () => {
  const dir = join(await emptyFolder(), 'fixtures');
  const file = join(dir, 'momo/balance.get.json');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, version(0));
  const mock = await runMock({ FIXTURES_DIR: dir });
  const shipped = '"success"';
  const seen = new Set<string>();
  let isOver = false;
  let asked = 0;
  const asking = (async () => {
    for (; !isOver; asked++) {
      const { status, body } = await mock.get('/momo/balance?apikey=good');
      const [first] = body.includes(shipped) ? [shipped] : JSON.parse(body);
      if (first !== shipped) expect(body).toBe(version(first));
      expect(status).toBe(200);
      seen.add(String(first));
    }
  })();
  const names = Object.keys(WAYS);
  for (let number = 1; number <= CHANGES; number++) {
    const name = names[number % names.length] ?? '';
    const before = mock.records.length;
    await WAYS[name]?.(file);
    // Every other time it comes to rest, so that it is read in between.
    const rests = Math.floor(number / names.length) % 2 === 0;
    const said = () =>
      mock.records
        .slice(before)
        .map(({ msg }) => String(msg))
        .join('\n');
    if (rests && SAID[name]) await expect.poll(said).toMatch(SAID[name]);
    if (name.includes('gives')) await clear(file);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}~`, version(number));
    if (number % 2 === 0) await rename(`${file}~`, file);
    else await writeFile(file, version(number));
    if (rests) await expect.poll(() => seen.has(String(number))).toBe(true);
  }
  await writeFile(file, version(-1));
  await expect.poll(() => seen.has('-1')).toBe(true);
  isOver = true;
  await asking;
  show(`${CHANGES} changes of a fixture: ${asked} answers, ${seen.size} versions, all whole`);
});
