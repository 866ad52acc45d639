import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { handlerReader } from '../../src/fixtures/handler-module.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';

const FUNCTION = 'export default () => ({});';

it('a module that never ends to load is a problem after a time', async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    'a.js': `import './_b.js'; ${FUNCTION}`,
    '_b.js': 'await new Promise(() => {});',
  });
  const file = join(folder, 'a.js');
  await expect(handlerReader(folder, 30)(file)).rejects.toThrow(
    /a\.js: it, or a module that it imports, is still loading after 30 ms\. Correct the top-level await that does not end\.$/,
  );
  writeFiles(folder, { '_b.js': 'await 1;' });
  expect(await handlerReader(folder)(file)).toMatchObject({ file });
});

it('the version of a handler is that of its content and of what is shared', async () => {
  const folder = temporaryFolder();
  writeFiles(folder, { 'a.js': FUNCTION, 'c.js': FUNCTION, '_lib/b.json': '1' });
  const versions = async () => {
    const handler = handlerReader(folder);
    const read = ['a.js', 'c.js'].map((name) => handler(join(folder, name)));
    return (await Promise.all(read)).map(({ version }) => version);
  };
  const [a, c] = await versions();
  utimesSync(join(folder, 'c.js'), 1, 1);
  expect(await versions()).toEqual([a, c]);
  writeFiles(folder, { 'c.js': 'export default () => ({ body: 2 });' });
  const [sameA, otherC] = await versions();
  expect([sameA === a, otherC === c]).toEqual([true, false]);
  writeFiles(folder, { '_lib/b.json': '2' });
  expect((await versions())[0]).not.toBe(a);
});
