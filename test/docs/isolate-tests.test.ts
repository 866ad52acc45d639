import { expect, it, vi } from 'vitest';
import { needs } from '../support/machine.ts';
import { blockOf, blocksOf, codeOf, readDocument, rowsBelow } from './documents.ts';
import { at } from './examples.ts';
import { type NodeProject, openNodeProject } from './node-project.ts';

// It installs projects and runs their tests, which takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const DOCUMENT = readDocument('docs/isolate-tests.md');

function openProject(): NodeProject {
  const project = openNodeProject();
  project.write('client.js', blockOf(DOCUMENT, 'js client'));
  return project;
}

it('shows no block but those that are run here', () => {
  expect(blocksOf(DOCUMENT).map(({ info }) => info)).toEqual([
    'js vitest',
    'js client',
    'js options',
    'js handle',
    'js reset',
    'sh reset',
    'js base-url',
    'js momo',
    'js built-in',
    'js with',
    'js both',
  ]);
});

it('vitest: the tests pass', () => {
  const project = openProject();
  project.write('client.test.js', blockOf(DOCUMENT, 'js vitest'));
  expect(project.vitest()).toMatch(/Tests .*2 passed/);
});

it('vitest: a mock with a preset, in strict tests', () => {
  const project = openNodeProject();
  project.write('test.js', blockOf(DOCUMENT, 'js options'));
  const code = `import { test } from './test.js';
    test('knows it', ({ momo, expect }) => expect(momo.state.get('rates')).resolves.toBeDefined());
    test('is strict', ({ momo }) => momo.respondWith({ status: 503 }));`;
  project.write('momo.test.js', code);
  expect(() => project.vitest()).toThrow(
    expect.objectContaining({ stdout: expect.stringMatching(/Tests .*1 failed.*1 passed/) }),
  );
});

it('vitest: a test has its own handler', () => {
  const project = openNodeProject();
  project.write('handle.test.js', blockOf(DOCUMENT, 'js handle'));
  expect(project.vitest()).toMatch(/Tests .*1 passed/);
});

it('names each option that only testWith has', () => {
  const rows = rowsBelow(DOCUMENT, 'vitest').flatMap(([cell = '']) => codeOf(cell));
  const [, declared = ''] =
    /interface MomoTestOptions [^{]*\{(.*?)^\}/ms.exec(readDocument('src/vitest.ts')) ?? [];
  const options = [...declared.matchAll(/readonly (\w+)\?:/g)];
  expect(rows.sort()).toEqual(options.map(([, name]) => name).sort());
});

it('tests with one key pass, and the call over HTTP does the same', async (context) => {
  needs(context, 'curl');
  const project = openProject();
  project.write('reset.test.js', blockOf(DOCUMENT, 'js reset'));
  expect(project.run('node --test')).toMatch(/pass 2$/m);
  const ready = await project.start('momo-mock');
  project.run(at(ready, blockOf(DOCUMENT, 'sh reset')));
});

it.each(['base-url', 'built-in'])('vitest: a client of the kind %s reaches the mock', (kind) => {
  const project = openNodeProject();
  project.write('momo.js', blockOf(DOCUMENT, 'js momo'));
  project.write('momo.test.js', blockOf(DOCUMENT, `js ${kind}`));
  expect(project.vitest()).toMatch(/Tests .*1 passed/);
});

it('vitest: the tests pass with a mock that runs elsewhere', async () => {
  const project = openProject();
  const ready = await project.start('momo-mock');
  const tests = blockOf(DOCUMENT, 'js vitest');
  project.write('with.js', at(ready, blockOf(DOCUMENT, 'js with')));
  project.write('client.test.js', tests.replace('momo-mock/vitest', './with.js'));
  expect(project.vitest()).toMatch(/Tests .*2 passed/);
});

it('the line that moves a suite works both ways', async () => {
  const project = openProject();
  project.write('mock.js', blockOf(DOCUMENT, 'js both'));
  project.write(
    'main.js',
    `import { getBalance } from './client.js';
     import { mock } from './mock.js';
     await mock.setBalance({ balance: 500 });
     console.log(mock.url, JSON.stringify(await getBalance(mock)));
     await mock.close();`,
  );
  const ready = await project.start('momo-mock');
  const elsewhere = project.run('node main.js', { MOMO_MOCK_CONTROL_URL: ready.controlUrl });
  expect(elsewhere).toBe(`${ready.url} {"balance":500}\n`);
  const here = project.run('node main.js', { MOMO_MOCK_CONTROL_URL: '' });
  expect(here).toMatch(/^https:.+ {"balance":500}\n$/);
  expect(here).not.toContain(ready.url);
});
