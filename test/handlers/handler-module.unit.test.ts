import { join } from 'node:path';
import { expect, it } from 'vitest';
import { handlerReader } from '../../src/fixtures/handler-module.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';

const FUNCTION = 'export default () => ({});';

it('a module that never finishes loading is a problem after a timeout', async () => {
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
