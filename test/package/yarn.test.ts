import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { cleanEnv, pack } from './installed.ts';
import { installFromNpm, NO_REGISTRY } from './kept-packages.ts';

// It packs the package and installs it with Yarn, which takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const run = promisify(execFile);

const LIBRARY = `
import { startMomoMock } from 'momo-mock';
const mock = await startMomoMock({ preset: 'chipdeals', control: true });
await mock.handle('GET /momo/balance', () => ({ status: 202 }));
console.log(new URL(mock.url).hostname);
await mock.close();`;

const CLIENT = `
const { MOMO_MOCK_URL, MOMO_MOCK_APIKEY } = process.env;
const { status } = await fetch(MOMO_MOCK_URL + '/momo/balance?apikey=' + MOMO_MOCK_APIKEY);
console.log(status);`;

it("the library and the command start in a project with Yarn's Plug'n'Play", async (context) => {
  const folder = temporaryFolder();
  const tools = join(folder, 'tools');
  const shop = join(folder, 'shop');
  for (const one of [tools, shop]) mkdirSync(one);
  const isInstalled = await installFromNpm(tools, { '@yarnpkg/cli-dist': '4.18.1' });
  context.skip(!isInstalled, NO_REGISTRY);

  const dependencies = { 'momo-mock': `file:${await pack()}` };
  const manifest = { name: 'shop', private: true, type: 'module', dependencies };
  writeFileSync(join(shop, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(shop, 'yarn.lock'), '');
  writeFileSync(join(shop, 'library.js'), LIBRARY);
  writeFileSync(join(shop, 'client.js'), CLIENT);
  const env = {
    ...cleanEnv(),
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    YARN_ENABLE_NETWORK: 'false',
    YARN_ENABLE_TELEMETRY: 'false',
    YARN_GLOBAL_FOLDER: join(folder, 'global'),
    YARN_NODE_LINKER: 'pnp',
  };
  const yarn = async (...args: string[]) => {
    const file = join(tools, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js');
    const { stdout } = await run(process.execPath, [file, ...args], { cwd: shop, env });
    return stdout.trim();
  };
  await yarn('install');

  expect(await yarn('node', 'library.js')).toBe('localhost');
  expect(await yarn('momo-mock', 'run', '--', 'node', 'client.js')).toBe('200');
});
