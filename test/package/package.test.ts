import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { installedPackage, type Project } from './installed.ts';

// It packs and installs the package, which takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const parent = temporaryFolder(afterAll);
let project: Project;
beforeAll(async () => {
  project = await installedPackage(parent);
});

/** Runs a module in the project, and gives what it prints as JSON. */
async function evaluate(code: string): Promise<unknown> {
  const { stdout } = await project.node('--input-type=module', '-e', code);
  return JSON.parse(stdout);
}

describe('the package, packed and installed in an empty project,', () => {
  it('exports the public API, and nothing else', async () => {
    const names = "console.log(JSON.stringify(Object.keys(await import('momo-mock'))))";
    expect(await evaluate(names)).toEqual([
      'MomoMockError',
      'connectMomoMock',
      'drills',
      'startMomoMock',
    ]);
  });

  it('starts a mock with the shipped fixtures', async () => {
    const code = `
      import { startMomoMock } from 'momo-mock';
      const { url, ca, close } = await startMomoMock();
      console.log(JSON.stringify({ url, ca }));
      await close();`;
    expect(await evaluate(code)).toEqual({
      url: expect.stringMatching(/^https:\/\/localhost:\d+$/),
      ca: expect.stringContaining('BEGIN CERTIFICATE'),
    });
  });

  it('starts a mock with a preset', async () => {
    const code = `
      import { startMomoMock } from 'momo-mock';
      const mock = await startMomoMock({ preset: 'chipdeals' });
      console.log(JSON.stringify(await mock.state.get('countries/229')));
      await mock.close();`;
    expect(await evaluate(code)).toMatchObject({ code: 'BJ' });
  });

  it.each(['momo-mock', 'momo-mock/vitest', 'momo-mock/jest', 'momo-mock/package.json'])(
    'resolves %s',
    (name) => {
      const code = `console.log(JSON.stringify(import.meta.resolve('${name}')))`;
      return expect(evaluate(code)).resolves.toContain('/node_modules/momo-mock/');
    },
  );

  it('contains every file that its entries name', () => {
    const installed = join(project.folder, 'node_modules/momo-mock');
    const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const files = Object.values<object | string>(exports).flatMap((entry) =>
      typeof entry === 'string' ? entry : Object.values(entry),
    );
    expect(files).toHaveLength(7);
    expect(files.filter((file) => !existsSync(join(installed, file)))).toEqual([]);
  });

  it.each(['momo-mock/dist/mock.js', 'momo-mock/fixtures'])('does not export %s', (name) => {
    const code = `console.log(import.meta.resolve('${name}'))`;
    return expect(evaluate(code)).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('can be loaded with require()', async () => {
    const code = "console.log(JSON.stringify(Object.keys(require('momo-mock')).sort()))";
    const { stdout } = await project.node('--input-type=commonjs', '-e', code);
    expect(JSON.parse(stdout)).toEqual([
      'MomoMockError',
      'connectMomoMock',
      'drills',
      'startMomoMock',
    ]);
  });

  it('does not install vitest, and says so if it is needed', async () => {
    const wanted = evaluate("await import('momo-mock/vitest')");
    await expect(wanted).rejects.toThrow("Cannot find package 'vitest'");
  });

  it('shows the message of an uncaught error', async () => {
    const code = "await (await import('momo-mock')).startMomoMock({ prt: 1 });";
    const { stderr } = await project
      .node('--input-type=module', '-e', code)
      .catch((error) => error);
    const [before = '', after = ''] = stderr.split('MomoMockError: Unknown option "prt". ', 2);
    expect(after).not.toBe('');
    expect(before.length).toBeLessThan(4000);
    // Nor is it called by the name that it has in the bundle: `Se [MomoMockError]`.
    expect(before.endsWith('\n')).toBe(true);
  });

  it('has the command momo-mock', async () => {
    const { bin, version } = JSON.parse(
      readFileSync(join(project.folder, 'node_modules/momo-mock/package.json'), 'utf8'),
    );
    const file = join('node_modules/momo-mock', bin['momo-mock']);
    expect((await project.node(file, '--version')).stdout).toBe(`${version}\n`);
    const linked = join('node_modules/.bin/momo-mock');
    expect((await project.node(linked, '--version')).stdout).toBe(`${version}\n`);
  });
});
