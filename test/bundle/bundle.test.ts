import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);

/** What is published, in a folder of its own: nothing was started from there yet. */
function copyOfPackage(): string {
  const root = mkdtempSync(join(tmpdir(), 'momo-bundle-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const part of ['dist', 'fixtures', 'package.json'])
    cpSync(part, join(root, part), { recursive: true });
  rmSync(join(root, 'dist/compiled'), { recursive: true, force: true });
  return root;
}

/** Starts a mock in a process of its own, and gives the address it had. */
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
  it('keeps its compiled code when it has started, and starts by it', async () => {
    const root = copyOfPackage();
    const started = /^https:\/\/localhost:\d+\n$/;
    expect(await startIn(root)).toMatch(started);
    const [name = ''] = readdirSync(join(root, 'dist/compiled'));
    const kept = readFileSync(join(root, 'dist/compiled', name));
    expect(await startIn(root)).toMatch(started);
    expect(readFileSync(join(root, 'dist/compiled', name)).equals(kept)).toBe(true);
  });

  it('keeps no code of a process that started nothing', async () => {
    const root = copyOfPackage();
    await run(process.execPath, [join(root, 'dist/cli.cjs'), '--version']);
    expect(existsSync(join(root, 'dist/compiled'))).toBe(false);
  });

  const files = readdirSync('dist').filter((name) => /(?<!cli|load)\.cjs$/.test(name));
  describe.each(files)('%s', (file) => {
    const bytes = readFileSync(join('dist', file));

    it('needs no package beside it', () => {
      const wanted = [...bytes.toString('latin1').matchAll(/\brequire\(["']([^"']+)["']\)/g)];
      const foreign = wanted
        .map(([, name = '']) => name)
        .filter((name) => !builtinModules.includes(name.replace('node:', '')))
        .filter((name) => !existsSync(join('dist', name)));
      // Text of code that ajv and the serializer could write, and what debug only tries.
      const never = /^ajv(-formats)?\/dist\/|^fast-json-stringify\/lib\/|^supports-color$/;
      expect(wanted.length).toBeGreaterThan(0);
      expect(foreign.filter((name) => !never.test(name))).toEqual([]);
    });

    // It is read as latin1.
    it('is ASCII', () => {
      expect(bytes.every((byte) => byte < 0x80)).toBe(true);
    });
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
