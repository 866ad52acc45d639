import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { installedPackage, type Project, putBeside, toolOf } from './installed.ts';

// It packs and installs the package, which takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const parent = temporaryFolder(afterAll);
let project: Project;
beforeAll(async () => {
  project = await installedPackage(parent);
  putBeside(project, '@types/node');
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

const CONSUMER = `
import { connectMomoMock, MomoMockError, type MomoMock, type MomoStartOptions, startMomoMock } from 'momo-mock';
import 'momo-mock/jest';
import { test, testWith } from 'momo-mock/vitest';
import { expect as jestExpect } from 'expect';
async function start(): Promise<MomoMock> {
  await using mock: MomoMock = await startMomoMock({ control: true });
  await mock.respondWith({ status: 503, times: 'always' });
  return await connectMomoMock(mock.controlUrl ?? '');
}
export const codes = (error: MomoMockError): 'MOMO_MOCK_USAGE' | string => error.code;
testWith(() => connectMomoMock('http://localhost:8480'))('more types', ({ momo }) => momo.reset());
testWith({ strict: true });
const options: MomoStartOptions = { keyIn: 'header:X-User', preset: 'chipdeals', rateLimit: '5/1m' };
testWith({ ...options, rateLimit: { limit: 5, window: 1000 }, redirect: ['a.example'] });
// @ts-expect-error a name is in the query or in a header
export const wrong: MomoStartOptions = { keyIn: 'X-User' };
test('types', async ({ momo, momoMock, expect }) => {
  await expect(momo).toHaveReceived([{ path: '/momo/balance', times: 2 }], { timeout: 9 });
  // @ts-expect-error a status is a number
  await expect(momo).toHaveReceived({ status: '200' });
  await jestExpect(momo).toHaveReceived({ exactly: [] });
  const key: string = momo.apiKey + momoMock.apiKey;
  const paid: { amount: number } | undefined = await momo.state.get<{ amount: number }>('paid');
  const all: Record<string, number> = await momoMock.account().state.list<number>();
  await momo.state.update<number>(key, (count) => count + 1 + (paid?.amount ?? 0) + (all.a ?? 0));
  const [scripted] = await momo.responses();
  if (scripted !== undefined) await momo.respondWith(scripted);
  // @ts-expect-error an operation has a method
  await momo.respondWith({ operation: '/momo/balance' });
  // @ts-expect-error a method is in upper case
  await momo.requests({ operation: 'get /momo/balance' });
  // @ts-expect-error a status is a number
  await momo.respondWith({ status: key });
  await (await start()).close();
});
`;

describe('the types of the package', () => {
  // Taken away again: in another order, a test that misses vitest comes after this.
  beforeAll(() => {
    const remove = ['vitest', 'expect'].map((name) => putBeside(project, name));
    return () => {
      for (const removeOne of remove) removeOne();
    };
  });

  it.each([
    ['nodenext', 'nodenext', 'consumer.ts'],
    ['nodenext', 'nodenext', 'consumer.cts'],
    ['esnext', 'bundler', 'consumer.ts'],
  ])('are found with module %s and moduleResolution %s in %s', async (...given) => {
    const [module, moduleResolution, consumer] = given;
    project.write(consumer, CONSUMER);
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
      strict: true,
      noEmit: true,
      // More would each read all types anew.
      checkers: 1,
    };
    project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: [consumer] }));
    const checked = project.node(toolOf('typescript/bin/tsc'), '-p', '.').catch(Object);
    expect((await checked).stdout).toBe('');
  });
});
