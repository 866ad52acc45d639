import { execFile } from 'node:child_process';
import { cpSync, readdirSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { get } from 'node:http';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { FREE_PORTS, spawnCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

// It builds the project three times, which takes a minute on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const PARTS = ['build', 'src', 'fixtures', 'package.json', 'package-lock.json'];
const CONFIGURATION = ['tsconfig.json', 'tsconfig.build.json'];

/** A copy of the project, with the same packages. */
async function clone(): Promise<string> {
  const folder = temporaryFolder();
  for (const part of [...PARTS, ...CONFIGURATION]) {
    cpSync(part, join(folder, part), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** The status of a response of the control API, once all of it has come. */
function statusOf(url: string): Promise<number> {
  return new Promise((done, fail) => {
    const request = get(url, { headers: { accept: 'text/html' } }, (response) => {
      buffer(response).then(() => done(response.statusCode ?? 0), fail);
    });
    request.on('error', fail);
  });
}

it('prepare builds only if something has changed, and a running mock serves its page meanwhile', async () => {
  const folder = await clone();
  const prepare = () =>
    promisify(execFile)(process.execPath, ['build/prepare.mjs'], { cwd: folder });
  const built = () => statSync(join(folder, 'dist/momo-mock.cjs')).ino;
  await prepare();
  const first = built();
  await prepare();
  expect(built()).toBe(first);

  const cli = join(folder, 'dist/cli.cjs');
  const { ready, output } = await spawnCommand(FREE_PORTS, { cli });
  const { controlUrl } = await ready;
  const urls = ['/', '/page/app.js', '/page/style.css', '/health'].map((it) => controlUrl + it);
  expect(await Promise.all(urls.map(statusOf))).toEqual([200, 200, 200, 200]);
  utimesSync(join(folder, 'src/index.ts'), new Date(), new Date());
  let isBuilding = true;
  const again = prepare().finally(() => {
    isBuilding = false;
  });
  const statuses = new Map<number, number>();
  while (isBuilding) {
    for (const url of urls) {
      const status = await statusOf(url);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  await again;
  expect(built()).not.toBe(first);
  expect([...statuses.keys()]).toEqual([200]);
  expect(output()).not.toMatch(/"level":[456]0/);
  expect(readdirSync(folder).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
});
