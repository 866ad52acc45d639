import { expect, it, vi } from 'vitest';
import { blockOf, blocksOf, readDocument } from './documents.ts';
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

it('docs/isolate-tests.md shows only blocks that this test runs', () => {
  const names = ['vitest', 'client', 'base-url', 'momo', 'built-in', 'with', 'both'];
  const kinds = names.map((name) => `js ${name}`);
  expect(blocksOf(DOCUMENT).map(({ info }) => info)).toEqual(kinds);
});

it('the vitest tests pass', () => {
  const project = openProject();
  project.write('client.test.js', blockOf(DOCUMENT, 'js vitest'));
  expect(project.vitest()).toMatch(/Tests .*2 passed/);
});

it.each(['base-url', 'built-in'])('a client of the kind %s reaches the mock in vitest', (kind) => {
  const project = openNodeProject();
  project.write('momo.js', blockOf(DOCUMENT, 'js momo'));
  project.write('momo.test.js', blockOf(DOCUMENT, `js ${kind}`));
  expect(project.vitest()).toMatch(/Tests .*1 passed/);
});

it('the vitest tests pass with a mock in another process', async () => {
  const project = openProject();
  const ready = await project.start('momo-mock');
  const tests = blockOf(DOCUMENT, 'js vitest');
  project.write('with.js', at(ready, blockOf(DOCUMENT, 'js with')));
  project.write('client.test.js', tests.replace('momo-mock/vitest', './with.js'));
  expect(project.vitest()).toMatch(/Tests .*2 passed/);
});

it('the line that moves a suite to another mock works both ways', async () => {
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
  const elsewhere = project.run('node main.js', { MOMO_CONTROL_URL: ready.controlUrl });
  expect(elsewhere).toBe(`${ready.url} {"balance":500}\n`);
  const here = project.run('node main.js', { MOMO_CONTROL_URL: '' });
  expect(here).toMatch(/^https:.+ {"balance":500}\n$/);
  expect(here).not.toContain(ready.url);
});
