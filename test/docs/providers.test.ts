import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { needs, needsPython } from '../support/machine.ts';
import { startMock } from '../support/mock.ts';
import { blockOf, blocksOf, ROOT, readDocument, rowsBelow } from './documents.ts';
import { examplesOf, sectionsOf, tryExamples } from './examples.ts';
import { openNodeProject } from './node-project.ts';
import { openShell } from './shell.ts';

// It installs a project and runs vitest in it, which takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const PAGE = readDocument('docs/providers.md');
const CHIPDEALS = readDocument('docs/providers/chipdeals.md');
const TESTS = ['succeeds', 'fake', 'fails', 'webhook', 'match', 'lost', 'ask'];
const MTN = readDocument('docs/providers/mtn-momo.md');
const MTN_TESTS = ['succeeds', 'fails', 'refused', 'lost', 'token', 'webhook', 'ask'];
const MPESA = readDocument('docs/providers/mpesa-daraja.md');
const MPESA_TESTS = [
  'succeeds',
  'fails',
  'texts',
  'refused',
  'lost',
  'order',
  'webhook',
  'token',
  'ask',
];

it('shows no block but those that are run here', () => {
  expect(blocksOf(PAGE).map(({ info }) => info)).toEqual([
    'sh',
    'sh run',
    'js two',
    'sh mtn',
    'sh mpesa',
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
  expect(blocksOf(MTN).map(({ info }) => info)).toEqual([
    'sh',
    'console',
    'sh install',
    'js shop',
    ...MTN_TESTS.map((name) => `js ${name}`),
    'sh vitest',
  ]);
  expect(blocksOf(MPESA).map(({ info }) => info)).toEqual([
    'sh',
    'console',
    'python shop',
    ...MPESA_TESTS.map((name) => `python ${name}`),
    'sh run',
    'js node',
    'console node',
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
  expect(readDocument('docs/README.md')).toContain('](providers.md)');
});

it('says which fields a preset.json can have', () => {
  const shown = JSON.parse(blockOf(PAGE, 'json preset'));
  const fields = rowsBelow(PAGE, 'Add a preset to momo-mock').map(([name = '']) =>
    name.replaceAll('`', ''),
  );
  expect(Object.keys(shown)).toEqual(fields);
  const used = readdirSync(join(ROOT, 'presets')).flatMap((name) =>
    Object.keys(JSON.parse(readDocument(`presets/${name}/preset.json`))),
  );
  expect(new Set(used)).toEqual(new Set(fields));
  const { keyIn, base } = JSON.parse(readDocument('presets/mtn-momo/preset.json'));
  expect(shown).toMatchObject({ keyIn, base });
});

it.for([
  { name: 'chipdeals', tutorial: CHIPDEALS },
  { name: 'mtn-momo', tutorial: MTN },
  { name: 'mpesa-daraja', tutorial: MPESA },
])('starts the mock with $name, which does what it shows', async ({ tutorial }, context) => {
  needs(context, 'curl');
  const [start] = sectionsOf(tutorial).filter(({ text }) => examplesOf(text).length > 0);
  await tryExamples(`${start?.text}`);
});

it('the MTN MoMo tutorial passes with vitest, whose command it shows', () => {
  const project = openNodeProject();
  const [, name = ''] = /npm install (\S+)/.exec(blockOf(MTN, 'sh install')) ?? [];
  project.link(name);
  project.write('shop.js', blockOf(MTN, 'js shop'));
  project.write('shop.test.js', MTN_TESTS.map((test) => blockOf(MTN, `js ${test}`)).join('\n'));
  expect(blockOf(MTN, 'sh vitest').trim()).toBe('npx vitest run');
  expect(project.vitest()).toMatch(/Tests .*7 passed/);
});

it('the M-Pesa tutorial passes with pytest', (context) => {
  needsPython(context, 'requests', 'pytest');
  const project = openNodeProject();
  project.write('shop.py', blockOf(MPESA, 'python shop'));
  const tests = MPESA_TESTS.map((test) => blockOf(MPESA, `python ${test}`)).join('\n\n');
  project.write('test_shop.py', tests);
  expect(project.run(`${blockOf(MPESA, 'sh run').trim()} 2>&1`)).toMatch(/10 passed/);
});

it('the M-Pesa tutorial uses the Node library as it shows', () => {
  const project = openNodeProject();
  project.link('mpesa-node');
  project.write('push.js', blockOf(MPESA, 'js node'));
  const [, line = '', output] = /^\$ (.*)\n([\s\S]*)$/.exec(blockOf(MPESA, 'console node')) ?? [];
  expect(project.run(line)).toBe(output);
});

describe('two providers', () => {
  it('are mocked in one test', () => {
    const project = openNodeProject();
    project.link('mtn-momo');
    project.link('mpesa-node');
    project.write('two.test.js', blockOf(PAGE, 'js two'));
    expect(project.vitest()).toMatch(/Tests .*1 passed/);
  });

  it('are mocked by two commands beside each other, with one certificate', async (context) => {
    needs(context, 'curl');
    const shell = openShell();
    const mtn = await shell.start(blockOf(PAGE, 'sh mtn').trim());
    const [port, controlPort] = [await freePort(), await freePort()];
    const line = blockOf(PAGE, 'sh mpesa')
      .trim()
      .replace('8444', `${port}`)
      .replace('8481', `${controlPort}`);
    const mpesa = await shell.start(line);
    expect(mpesa).toMatchObject({ port, controlUrl: `http://localhost:${controlPort}` });
    expect(mpesa.certificate).toBe(mtn.certificate);
    const get = (url: string, header: string) =>
      shell.run(`curl -s --cacert ${mtn.certificate} ${header} '${url}'`);
    const key = "-H 'Ocp-Apim-Subscription-Key: momo_test_key'";
    const user = `${mtn.url}/v1_0/apiuser/11111111-1111-4111-8111-111111111111`;
    expect(get(user, key)).toContain('"providerCallbackHost"');
    const token = `${mpesa.url}/oauth/v1/generate?grant_type=client_credentials`;
    expect(get(token, '-u momo_test_key:secret')).toContain('"access_token"');
  });
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
    expect(project.vitest()).toMatch(/Tests .*7 passed/);
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
    const line = blockOf(PAGE, 'sh run').replace('npx ', '').replace('mtn-momo', 'chipdeals');
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
