import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { FREE_PORTS, runCommand, spawnCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import * as index from '../support/momo-mock.ts';
import { tempTree } from '../support/temp-tree.ts';
import { handlerTree } from './handler-tree.ts';

const run = promisify(execFile);

/** What is published, in a folder from which nothing was started yet. */
function copyOfPackage() {
  const root = temporaryFolder();
  for (const part of ['dist', 'fixtures', 'package.json'])
    cpSync(part, join(root, part), { recursive: true });
  const compiled = join(root, 'dist/compiled');
  rmSync(compiled, { recursive: true, force: true });
  return { root, compiled, cli: join(root, 'dist/cli.cjs') };
}

/** Starts a mock in another process, and gives its address. */
async function startIn(root: string): Promise<string> {
  const code = `
    import { startMomoMock } from './dist/index.js';
    const mock = await startMomoMock();
    console.log(mock.url);
    await mock.close();`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
  });
  return stdout;
}

describe('the bundle', () => {
  it('keeps its compiled code when a test process ends, and starts with it', async () => {
    const { root, compiled } = copyOfPackage();
    const started = /^https:\/\/localhost:\d+\n$/;
    expect(await startIn(root)).toMatch(started);
    // As hashes, because comparing these bytes one by one takes seconds.
    const kept = () =>
      readdirSync(compiled).map((name) => [
        name.split('-v')[0],
        createHash('sha256')
          .update(readFileSync(join(compiled, name)))
          .digest('hex'),
      ]);
    expect(kept().map(([name]) => name)).toEqual(['certificates', 'control', 'momo-mock']);
    // A start that takes more than a second keeps only what it has compiled until then.
    await expect
      .poll(async () => {
        const before = kept();
        expect(await startIn(root)).toMatch(started);
        return isDeepStrictEqual(kept(), before);
      })
      .toBe(true);
  });

  it('keeps its compiled code while the command runs', async () => {
    const { cli, compiled } = copyOfPackage();
    const { ready } = await spawnCommand(FREE_PORTS, { cli });
    await ready;
    await expect.poll(() => existsSync(compiled)).toBe(true);
  });

  it('keeps no code of a command that ends soon', async () => {
    const { cli, compiled } = copyOfPackage();
    await run(process.execPath, [cli, '--version']);
    expect(existsSync(compiled)).toBe(false);
  });

  it('loads handlers', async () => {
    const { cli } = copyOfPackage();
    const { env, serves } = handlerTree();
    await serves(await spawnCommand(FREE_PORTS, { cli, env }));
  });

  it('says where a handler has an error', async () => {
    const { env } = handlerTree();
    writeFileSync(join(env.MOMO_MOCK_FIXTURES_DIR, '_shared.js'), 'export const = 1;');
    const { code, stderr } = await runCommand(FREE_PORTS, { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /it, or a module that it imports, does not load \(SyntaxError: .*\)\. Correct it\.\n$/,
    );
  });

  it('refuses an invalid schema, as the source does', async () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'no', minimum: '1' };
    const wrong = { 'a.get.json': '1', 'a.get.schema.json': JSON.stringify(schema) };
    const tree = await tempTree({ ...wrong, 'b.get.json': '1', 'b.get.schema.json': '[]' });
    const problems = await tree.problems();
    expect(problems).toHaveLength(2);
    const { stderr } = await runCommand(FREE_PORTS, { env: { MOMO_MOCK_FIXTURES_DIR: tree.user } });
    expect(stderr.replaceAll(`${tree.root}/`, '').trimEnd().split('\n')).toEqual(problems);
  });

  it('exports what the source exports', async () => {
    const { root } = copyOfPackage();
    const code = "console.log(Object.keys(await import('./dist/index.js')).join())";
    const args = ['--input-type=module', '-e', code];
    const { stdout } = await run(process.execPath, args, { cwd: root });
    expect(stdout.trim().split(',').sort()).toEqual(Object.keys(index).sort());
  });

  const FILES = ['momo-mock', 'certificates', 'control', 'files', 'schemas'];

  it.each(FILES)('%s.cjs needs no package beside it', (file) => {
    // The bundle breaks long lines, also inside of texts.
    const text = readFileSync(`dist/${file}.cjs`, 'latin1').replaceAll('\\\n', '');
    const required = text.matchAll(/\brequire\(["']([^"']+)["']\)/g);
    const names = [...required].map(([, name = '']) => name.replace('node:', ''));
    // The last are in code that ajv and fast-json-stringify could write, and in a try of debug.
    const never = /^ajv(-formats)?\/dist\/|^fast-json-stringify\/lib\/|^supports-color$/;
    const packages = names.filter(
      (name) => !builtinModules.includes(name) && name !== './program.cjs',
    );
    expect(names).toContain('url');
    expect(packages.filter((name) => !never.test(name))).toEqual([]);
  });

  it.each(FILES)('%s.cjs is ASCII, as the loader expects', (file) => {
    expect(readFileSync(`dist/${file}.cjs`).every((byte) => byte < 0x80)).toBe(true);
  });

  it('names every package in it, with its licence', () => {
    const { components } = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8'));
    const names = components.map(({ name }: { name: string }) => name);
    const licences = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');
    expect(names).toEqual(
      expect.arrayContaining(['fastify', '@fastify/env', 'pino', 'selfsigned']),
    );
    for (const { name, version } of components) expect(licences).toContain(`${name} ${version} (`);
  });
});
