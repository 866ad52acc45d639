import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { Spawned } from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

/** A tree with a handler that imports a module, in a package whose `.js` files are CommonJS. */
export function handlerTree() {
  const root = temporaryFolder();
  const dir = join(root, 'fixtures');
  mkdirSync(dir);
  writeFileSync(join(root, 'package.json'), '{"type":"commonjs"}');
  const write = (name: string, text: string) => writeFileSync(join(dir, name), text);
  write('_shared.js', 'export const url = import.meta.url;');
  const body = '{ url, type: typeof context.state.get }';
  const code = `export default (request, context) => ({ body: ${body} });`;
  write('a.get.js', `import { url } from './_shared.js'; ${code}`);
  return {
    env: { MOMO_MOCK_FIXTURES_DIR: dir },
    /** Expects that a command runs the handler, and writes only its log. */
    async serves({ child, cwd, ready, ended }: Spawned): Promise<void> {
      const { url } = await ready;
      const ca = readFileSync(join(cwd, 'certs/momo-mock.pem'));
      const request = get(`${url}/a?apikey=momo_test_key`, { ca, agent: false });
      const [response] = await once(request, 'response');
      expect(await json(response)).toEqual({
        url: expect.stringMatching(/\/_shared\.js\?momo-mock=\w+\.0$/),
        type: 'function',
      });
      child.kill('SIGTERM');
      expect(await ended).toMatchObject({ code: 0, stderr: '' });
    },
  };
}
