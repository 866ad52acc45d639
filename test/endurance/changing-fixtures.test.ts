import { mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runMock } from '../running-mock.ts';
import { emptyFolder } from '../spawned-command.ts';
import { show, times } from './scale.ts';

const CHANGES = times(1000, 30);

/** A whole version: each of its places says which it is. */
function version(number: number): string {
  return JSON.stringify(Array.from({ length: 2000 }, () => number));
}

test('a fixture that is changed in every way under load is served whole, or as it last was', {
  timeout: 600_000,
}, async () => {
  const dir = await emptyFolder();
  const file = join(dir, 'momo/balance.get.json');
  await mkdir(join(dir, 'momo'));
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
  for (let number = 1; number <= CHANGES; number++) {
    const ways = [
      () => writeFile(file, version(number)),
      async () => {
        await writeFile(`${file}~`, version(number));
        await rename(`${file}~`, file);
      },
      () => truncate(file, 100),
      () => rm(file),
      () => writeFile(file, version(number)),
    ];
    const way = number % ways.length;
    await ways[way]?.();
    // Every few changes it comes to rest, so that it is read in between.
    if (way === 0) await expect.poll(() => seen.has(String(number))).toBe(true);
  }
  await writeFile(file, version(-1));
  await expect.poll(() => seen.has('-1')).toBe(true);
  isOver = true;
  await asking;
  show(`${CHANGES} changes of a fixture: ${asked} answers, ${seen.size} versions, all whole`);
});
