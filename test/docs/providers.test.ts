import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { needs } from '../support/machine.ts';
import { startMock } from '../support/mock.ts';
import { blockOf, blocksOf, ROOT, readDocument, rowsBelow } from './documents.ts';
import { examplesOf, sectionsOf, tryExamples } from './examples.ts';
import { openNodeProject } from './node-project.ts';

// It installs a project and runs vitest in it, which takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const PAGE = readDocument('docs/providers.md');
const CHIPDEALS = readDocument('docs/providers/chipdeals.md');
const TESTS = ['succeeds', 'fake', 'fails', 'webhook', 'match', 'lost'];

it('shows no block but those that are run here', () => {
  expect(blocksOf(PAGE).map(({ info }) => info)).toEqual([
    'sh',
    'sh run',
    'json file=state.json',
    'json file=state.schema.json',
    'sh init',
    'json preset',
  ]);
  expect(blocksOf(CHIPDEALS).map(({ info }) => info)).toEqual([
    'sh',
    'console',
    'sh install',
    'js shop',
    ...TESTS.map((name) => `js ${name}`),
    'sh vitest',
    'php php',
    'console php',
  ]);
});

it('lists all presets, with their hosts, and docs/README links the page', () => {
  const names = readdirSync(join(ROOT, 'presets'));
  for (const name of names) {
    const { hosts } = JSON.parse(readDocument(`presets/${name}/preset.json`));
    expect(PAGE).toMatch(
      new RegExp(
        `^\\| \\[\`${name}\`\\]\\(providers/${name}\\.md\\) \\| .* \\| \`${hosts.join('`, `')}\` \\| `,
        'm',
      ),
    );
  }
  expect(JSON.parse(blockOf(PAGE, 'json preset'))).toHaveProperty('hosts');
  expect(readDocument('docs/README.md')).toContain('](providers.md)');
});

it('starts the mock, which does what it shows', async (context) => {
  needs(context, 'curl');
  const [start] = sectionsOf(CHIPDEALS).filter(({ text }) => examplesOf(text).length > 0);
  await tryExamples(`${start?.text}`);
});

describe('the Chipdeals tutorial', () => {
  function openShop() {
    const project = openNodeProject();
    const [, name = ''] = /npm install (\S+)/.exec(blockOf(CHIPDEALS, 'sh install')) ?? [];
    project.link(name);
    project.write('shop.js', blockOf(CHIPDEALS, 'js shop'));
    project.write('shop.test.js', TESTS.map((test) => blockOf(CHIPDEALS, `js ${test}`)).join('\n'));
    return project;
  }

  it('passes with vitest, whose command it shows', () => {
    const project = openShop();
    expect(blockOf(CHIPDEALS, 'sh vitest').trim()).toBe('npx vitest run');
    expect(project.vitest()).toMatch(/Tests .*6 passed/);
  });

  it('passes with the webhook before the response, too', () => {
    const project = openShop();
    expect(CHIPDEALS).toContain('With `before: true` in place of `lose: true`');
    const test = blockOf(CHIPDEALS, 'js match').replace('lose: true', 'before: true');
    // Otherwise, the success is the third webhook.
    const first = `const [{ body }] = await momo.webhooks({ waitFor: 1 });
      if (!body.includes('"success"')) throw new Error(body);`;
    project.write(
      'shop.test.js',
      [blockOf(CHIPDEALS, 'js succeeds'), test.replace(/await momo.verifyWebhooks.*/, first)].join(
        '\n',
      ),
    );
    expect(project.vitest()).toMatch(/Tests .*2 passed/);
  });

  it('redirects the hosts of the preset for a command', () => {
    const project = openShop();
    const scripts = { test: 'node main.js' };
    project.write('package.json', JSON.stringify({ type: 'module', scripts }));
    const code = `import { collect } from './shop.js';
      const apiKey = process.env.MOMO_MOCK_APIKEY;
      const { status } = await collect({ apiKey, phone: '22951010200', amount: 500 });
      console.log('it ended:', status);`;
    project.write('main.js', code);
    const line = blockOf(PAGE, 'sh run').replace('npx ', '');
    expect(project.run(line)).toContain('it ended: success');
  });

  it('does in PHP what it shows', (context) => {
    needs(context, 'php');
    const project = openNodeProject();
    copyFileSync(
      join(ROOT, 'test/presets/momo.php'),
      join(project.folder, 'chipdeals-mobile-money-api.php'),
    );
    project.write('test.php', blockOf(CHIPDEALS, 'php php'));
    const [, line = '', output] =
      /^\$ (.*)\n([\s\S]*)$/.exec(blockOf(CHIPDEALS, 'console php')) ?? [];
    expect(project.run(line)).toBe(output);
  });
});

it('lists every error code of the preset, and no other', () => {
  const folder = join(ROOT, 'presets/chipdeals/fixtures');
  const files = readdirSync(folder, { recursive: true }).filter((name) => /\.js$/.test(`${name}`));
  const code = files.map((name) => readDocument(`presets/chipdeals/fixtures/${name}`)).join('\n');
  const errors = code.match(/(?<=')\d{3}-\d{3}(?=')/g) ?? [];
  const ends = [...code.matchAll(/^ {2}(\d{3}): ['"]/gm)].map(([, end = '']) => end);
  const pending = ends.filter((end) => end > '200' && end < '300');
  const listed = rowsBelow(CHIPDEALS, 'Error codes').flatMap(([cell = '']) => cell.split(', '));
  expect([...listed, ...pending].sort()).toEqual([...new Set([...errors, ...ends])].sort());
});

it('changes values of the state by a file', async () => {
  const files = {
    'state.json': blockOf(PAGE, 'json file=state.json'),
    'state.schema.json': blockOf(PAGE, 'json file=state.schema.json'),
  };
  const mock = await startMock(files, { preset: 'chipdeals' });
  await mock.state.set('shop/limit', 5);
  expect(await mock.state.get('countries/228')).toMatchObject({ code: 'TG' });
  expect(await mock.state.get('countries/229')).toMatchObject({ code: 'BJ' });
  expect(await mock.state.get('balances/BJ/MTN')).toMatchObject({ amount: 0 });
});

it('refuses the mistakes in the state that the page names', async () => {
  const mock = await startMock({}, { preset: 'chipdeals' });
  const [, code, name = '', message = ''] =
    /such as the code (\d+), or the name `(\w+)`: `(.*)`/.exec(CHIPDEALS) ?? [];
  const setting = (name: string, value: unknown) => mock.state.set(name, { 22951010200: value });
  await expect(setting(name, 460)).rejects.toThrow(message);
  await expect(setting('outcomes', Number(code))).rejects.toMatchObject({
    code: 'MOMO_MOCK_STATE_INVALID',
  });
});

it('copies the preset for editing, and the copy is served', async () => {
  const project = openNodeProject();
  project.run(blockOf(PAGE, 'sh init'));
  const started = await project.start('momo-mock');
  const curl = `curl -s --cacert certs/momo-mock.pem '${started.url}/momo/balance?apikey=momo_test_key'`;
  expect(project.run(curl)).toContain('"balances"');
});
