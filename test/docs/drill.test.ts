import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { call } from '../drill/call.ts';
import { openWebhookServer } from '../drill/webhook-server.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { freePort } from '../support/free-port.ts';
import { needs } from '../support/machine.ts';
import {
  type DrillOrder,
  type DrillOutcome,
  drills,
  type MomoDrill,
  type MomoState,
} from '../support/momo-mock.ts';
import { DRILL_CONFIG, FAILURES } from '../support/program.ts';
import { blockOf, blocksOf, filesOf, ROOT } from './documents.ts';
import { drillIn, exampleIn, failuresIn, fixShop, openTutorial, PAGE, rowsOf } from './drill.ts';
import { sectionsOf, tryExamples } from './examples.ts';

// A drill waits in real time: seconds for each failure.
vi.setConfig({ testTimeout: 300_000 });

/** Enough to see both bugs; a test of each night runs all. */
const ONLY = ['success', 'declined', 'lost-response', 'webhook-forged'];

/** Shorter than usual, in ms: all times of the drill are shorter in proportion. */
const LIMIT = '--limit 6000';

const picked = (failures: Record<string, string>) =>
  Object.fromEntries(Object.entries(failures).filter(([name]) => ONLY.includes(name)));

it('docs/drill.md shows only blocks that are run here', () => {
  expect(blocksOf(PAGE).map(({ info }) => info)).toEqual([
    'js shop',
    'json config',
    'console drill',
    'diff fix',
    'diff fix',
    'console fixed',
    'js vitest',
    'json commands',
    'json running',
    'sh running',
    'js file=payments.post.js',
    'js file=payments/[order].get.js',
    'js file=drill.js',
    'sh',
    'console',
  ]);
});

it('the drill of docs/drill.md finds the two bugs, and nothing when they are fixed', () => {
  const project = openTutorial();
  const { command, output } = exampleIn(PAGE, 'console drill');
  const found = drillIn(project, `${command} --only ${ONLY.join()} ${LIMIT}`);
  expect(failuresIn(found)).toEqual(picked(failuresIn(output)));
  expect(found).toContain('exit code 1');

  fixShop(project);
  const fixed = exampleIn(PAGE, 'console fixed');
  const survived = drillIn(project, `${fixed.command} ${LIMIT}`);
  expect(failuresIn(survived)).toEqual(failuresIn(fixed.output));
  expect(survived).toContain('exit code 0');
});

it('the test of docs/drill.md finds the same two bugs', async () => {
  const project = openTutorial();
  const port = `${await freePort()}`;
  const only = `drill({\n  only: ${JSON.stringify(ONLY)}, limit: 6000,`;
  const test = blockOf(PAGE, 'js vitest').replaceAll('3000', port).replace('drill({', only);
  project.write('shop.test.js', test);
  vi.stubEnv('PORT', port);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(() => project.vitest()).toThrow(
    expect.objectContaining({
      stdout: expect.stringMatching(/Tests .*2 failed.*2 passed/),
      stderr: expect.stringMatching(/charged twice[\s\S]*forged webhook/),
    }),
  );
});

it('a test for node:test passes with the fixed shop of docs/drill.md', async () => {
  const project = openTutorial();
  fixShop(project);
  const port = `${await freePort()}`;
  const [, row = ''] = rowsOf('Run it in a test').find(([name]) =>
    name?.startsWith('node:test'),
  ) as string[];
  const [imported = '', loop = ''] = [...row.matchAll(/`([^`]+)`/g)].map(([, text]) => text);
  const [imports = '', options = ''] = blockOf(PAGE, 'js vitest')
    .replaceAll('3000', port)
    .replace(/^import .* from 'momo-mock\/vitest';\n/, '')
    .split('drill(');
  // Without the parenthesis and the semicolon of the call.
  const only = options
    .trim()
    .slice(0, -2)
    .replace('{', `{ only: ${JSON.stringify(ONLY)}, limit: 6000,`);
  project.write(
    'shop.test.js',
    `import { after, test } from 'node:test';
${imported};
${imports}
${loop.replace('(options)', () => `(${only})`)};
after(() => setTimeout(process.exit, 100));`,
  );
  expect(project.run('node --test --test-reporter tap', { PORT: port })).toMatch(/# pass 4/);
});

it.each(['commands', 'running'])('the configuration %s of docs/drill.md is valid', (name) => {
  const project = openTutorial();
  const config = blockOf(PAGE, `json ${name}`)
    .replaceAll('"php"', '"no-php"')
    .replaceAll('3000', '9');
  project.write('momo-mock.drill.json', config);
  expect(drillIn(project, 'momo-mock drill --only success 2>&1')).toMatch(
    /^Failed to pay[\s\S]*exit code 2/m,
  );
});

it('the drill of docs/drill.md reaches an application that runs already', async () => {
  const project = openTutorial();
  const port = `${await freePort()}`;
  project.write('momo-mock.drill.json', blockOf(PAGE, 'json running').replaceAll('3000', port));
  const shop = blockOf(PAGE, 'js shop')
    .replace('{ key }', '{ key, url }')
    .replace('https://apis.chipdeals.me', `\${url}`)
    .replace(
      'pay(await json(request))',
      `pay(await json(request), {
        key: request.headers['x-momo-key'],
        url: request.headers['x-momo-url'],
      })`,
    );
  project.write('shop.js', shop);
  const lines = blockOf(PAGE, 'sh running')
    .replaceAll('npx ', '')
    .replace('shop.js &', 'shop.js > shop.log & shop=$!');
  const run = `${lines.trim()} --only declined ${LIMIT}; code=$?; kill $shop; exit $code`;
  expect(project.run(run, { PORT: port })).toContain('2 survived, 0 failed');
});

it('docs/drill.md has a row for each field of the configuration', () => {
  const names = (heading: string) =>
    rowsOf(heading).flatMap(([name = '']) =>
      [...name.matchAll(/`([^`]+)`/g)].map(([, field]) => field),
    );
  const { properties } = DRILL_CONFIG as unknown as {
    properties: Record<string, { anyOf?: { properties: object }[] }>;
  };
  const shown = names('Fields');
  expect([...shown, '$schema'].toSorted()).toEqual(Object.keys(properties).toSorted());
  const ofOutcome = properties.outcome?.anyOf?.flatMap((one) => Object.keys(one.properties));
  const calls = [...names('Calls'), 'command', ...names('The outcome')];
  expect(calls.toSorted()).toEqual([...new Set(ofOutcome)].toSorted());
});

it('docs/drill.md says of each failure what it is like and what to do', () => {
  const rows = rowsOf('Survive each failure');
  expect(rows.map(([name]) => name)).toEqual(FAILURES.map(({ name }) => `\`${name}\``));
  expect(rows.filter((row) => row.some((cell) => cell === ''))).toEqual([]);
  expect(PAGE).toContain(`${FAILURES.length} failures`);
});

it.each(rowsOf('Credentials of each preset'))(
  'the preset %s gives the credentials %s',
  async (preset = '', names = '') => {
    const file = join(ROOT, 'presets', preset.slice(1, -1), 'fixtures/drill.js');
    const { default: drill }: { default: MomoDrill } = await import(pathToFileURL(file).href);
    const state = { get: async () => 'sandbox', set: async () => {} } as unknown as MomoState;
    const webhook = { payment: '', payout: '', refund: '' };
    const account = { state, apiKey: 'key', webhookSecret: 'secret' };
    const given = await drill.prepare?.({ ...account, webhook });
    const shown = Object.keys(given ?? {}).map((name) => `\`${name}\``);
    expect(names).toBe(shown.join(', ') || 'none');
  },
);

it('the drill.js of docs/drill.md drills a shop of another provider', async () => {
  const fixturesDir = temporaryFolder();
  writeFiles(fixturesDir, Object.fromEntries(filesOf(PAGE).map(({ file, text }) => [file, text])));
  const orders = new Map<string, DrillOrder>();
  const states = new Map<string, DrillOutcome['state']>();
  const send = ({ provider }: DrillOrder, method: string, path: string, body?: object) =>
    call(provider, { method, path: `${path}?apikey=${provider.apiKey}`, body }, 1000);
  const check = async (given: DrillOrder) => {
    const { json } = await send(given, 'GET', `/payments/${given.order}`);
    if (json?.status === 'SUCCESSFUL') states.set(given.order, 'paid');
    if (json?.status === 'FAILED') states.set(given.order, 'failed');
  };
  const { webhook, close } = await openWebhookServer(async ({ order }) => {
    const given = orders.get(order);
    if (given !== undefined) await check(given);
  });
  onTestFinished(close);
  const failures = drills({
    fixturesDir,
    base: 'none',
    webhook,
    limit: 6000,
    only: [
      'declined',
      'no-funds',
      'lost-response',
      'no-webhook',
      'webhook-forged',
      'webhook-amount',
    ],
    pay: async (given) => {
      const { order, amount, currency, phone } = given;
      orders.set(order, given);
      const body = { order, amount, currency, phone, webhook };
      const isTaken = async () =>
        [202, 409].includes((await send(given, 'POST', '/payments', body)).status);
      for (let attempt = 1; attempt <= 3; attempt++) {
        if (await isTaken().catch(() => false)) return;
      }
    },
    outcome: async ({ order }) => states.get(order) ?? 'pending',
    reconcile: check,
  });
  onTestFinished(() => failures.close());
  const results = await Promise.all([...failures].map(({ run }) => run()));
  expect(Object.fromEntries(results.map(({ name, verdict }) => [name, verdict]))).toEqual({
    declined: 'survived',
    'no-funds': 'not-applicable',
    'lost-response': 'survived',
    'no-webhook': 'survived',
    'webhook-forged': 'survived',
    'webhook-amount': 'not-applicable',
  });
});

it('the ledger of docs/drill.md shows a payment', async (context) => {
  needs(context, 'curl');
  const section = sectionsOf(PAGE).find(({ title }) => title === 'Read the ledger');
  await tryExamples(section?.text ?? '');
});
