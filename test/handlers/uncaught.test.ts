import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runNode } from '../run/node-command.ts';
import { ask } from '../support/client.ts';
import {
  clientOf,
  FREE_PORTS,
  type Spawned,
  spawnCommand,
  usedFolder,
} from '../support/command.ts';
import { type Files, writeFiles } from '../support/fixture-folder.ts';

/** A value that only the client knows. */
const VALUE = 'canary-4711';

const HANDLER = 'momo/act.post.js';

/** Starts a mock whose handler of `POST /momo/act` runs this code, which has the value as `value`. */
async function startWith(code: string, files: Files = {}) {
  const cwd = usedFolder();
  const write = (files: Files) => writeFiles(join(cwd, 'fixtures'), files);
  const handler = `import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
export default ({ body: { value } }, { after, state }) => {
  ${code}
};`;
  write({ ...files, [HANDLER]: handler });
  const spawned = await spawnCommand(FREE_PORTS, { cwd });
  return { ...spawned, ...(await observe(spawned)), write };
}

async function observe({ ready, output }: Spawned) {
  const { controlUrl } = await ready;
  const mock = await clientOf(ready);
  const body = JSON.stringify({ value: VALUE });
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return {
    act: () => ask(mock, '/momo/act', { method: 'POST', headers, body }),
    balance: () => ask(mock),
    count: async () => {
      const [health, metrics] = await Promise.all(
        ['/health', '/metrics'].map(async (path) => (await fetch(controlUrl + path)).text()),
      );
      const [, count] = /^momo_mock_uncaught_errors_total (\d+)$/m.exec(`${metrics}`) ?? [];
      return Math.min((JSON.parse(`${health}`) as Health).uncaughtErrors, Number(count));
    },
    /** The log records of errors. */
    errors: () => {
      const records = output().trimEnd().split('\n').map(readRecord);
      return records.filter(({ level }) => level === 50);
    },
  };
}

interface Health {
  readonly uncaughtErrors: number;
}

interface LogRecord {
  readonly level: number;
  readonly msg: string;
  readonly at?: readonly string[];
}

function readRecord(line: string): LogRecord {
  return JSON.parse(line);
}

/** The message of an error at a line of the handler, or of another file. */
const at = (line: number, cause: string, file = HANDLER) =>
  new RegExp(
    `^Failed to run handler code at .*/${file}:${line}:\\d+: ${cause}\\. Nothing caught it`,
  );

/** The message of an error that has no place in a file of the user. */
const nowhere = (cause: RegExp) =>
  new RegExp(`^Failed to run handler code: ${cause.source}\\. Nothing caught it`);

const MISTAKES: readonly (readonly [what: string, code: string, logged: RegExp])[] = [
  [
    'a promise that it does not await',
    '(async () => { throw new Error(value); })();',
    at(4, 'it threw an Error'),
  ],
  [
    'a throw in setTimeout',
    'setTimeout(() => { throw new TypeError(value); });',
    at(4, 'it threw a TypeError'),
  ],
  [
    'an error event that is no error',
    "setTimeout(() => new EventEmitter().emit('error', { value }));",
    at(4, 'it threw an Error'),
  ],
  [
    'an error event of a socket',
    'connect(1, "127.0.0.1");',
    nowhere(/it threw an Error \(ECONNREFUSED\)/),
  ],
  ['a promise of the mock', 'state.set(value, () => 5);', at(4, 'Failed to .*')],
  ['nothing', 'Promise.reject();', nowhere(/it threw an undefined/)],
  [
    'a text of 50 MB',
    'setTimeout(() => { throw value.repeat(5e6); });',
    nowhere(/it threw a string/),
  ],
  [
    'a proxy whose traps throw',
    `const trap = () => { throw value; };
    const traps = Object.getOwnPropertyNames(Reflect).map((name) => [name, trap]);
    setTimeout(() => { throw new Proxy({}, Object.fromEntries(traps)); });`,
    nowhere(/it threw an object/),
  ],
  [
    'an error that shows itself by code',
    `const inspect = Symbol.for('nodejs.util.inspect.custom');
    Promise.reject({ [inspect]: () => { throw value; }, toString: () => { throw value; } });`,
    nowhere(/it threw an object/),
  ],
  [
    'an error whose lines look like a stack',
    "setTimeout(() => { throw new Error('x\\n    at ' + value + ' (/' + value + ':1:1)'); });",
    at(4, 'it threw an Error'),
  ],
];

describe('an uncaught error in a handler is logged and counted, and the mock continues:', () => {
  test.each(MISTAKES)('%s', async (_what, code, logged) => {
    const { act, balance, count, errors, child, ended, output } = await startWith(code);
    expect((await act()).status).toBe(200);
    await expect.poll(count).toBe(1);
    expect((await balance()).status).toBe(200);
    await expect.poll(errors).toHaveLength(1);
    expect(errors()[0]?.msg).toMatch(logged);
    expect(output()).not.toContain(VALUE);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  test('in a file that the handler imports, inside or outside the tree', async () => {
    const tree = "import { fail } from './_fail.js';\nimport { leave } from '../../outside.mjs';\n";
    const cwd = usedFolder();
    const thrower = (name: string) =>
      `export const ${name} = (text) => {\n  setTimeout(() => { throw new Error(text); });\n};`;
    const handler = 'export default ({ body }) => { fail(body.value); leave(body.value); };';
    writeFiles(cwd, {
      'outside.mjs': thrower('leave'),
      'fixtures/momo/_fail.js': thrower('fail'),
      [`fixtures/${HANDLER}`]: tree + handler,
    });
    const spawned = await spawnCommand(FREE_PORTS, { cwd });
    const { act, errors } = await observe(spawned);
    await act();
    await expect.poll(errors).toHaveLength(2);
    expect(errors().map(({ msg }) => msg)).toEqual([
      expect.stringMatching(at(2, 'it threw an Error', 'momo/_fail.js')),
      expect.stringMatching(at(2, 'it threw an Error', 'outside.mjs')),
    ]);
    expect(spawned.output()).not.toContain(VALUE);
  });

  test.each([
    ['a timer', `setTimeout(() => { throw new Error('${VALUE}'); });`],
    ['a promise', `Promise.reject(new Error('${VALUE}'));`],
  ])('of %s in a module that is reloaded', async (_what, code) => {
    const { act, count, errors, output, write } = await startWith('');
    expect((await act()).status).toBe(200);
    write({ [HANDLER]: `${code}\nexport default () => ({ status: 201 });` });
    await expect.poll(async () => (await act()).status).toBe(201);
    await expect.poll(errors).not.toEqual([]);
    expect(await count()).toBeGreaterThan(0);
    expect(errors()[0]?.msg).toMatch(at(1, 'it threw an Error'));
    expect(output()).not.toContain(VALUE);
  });
});

test('every uncaught error is logged and counted, even a repeated one', async () => {
  const { act, count, errors } = await startWith(
    "for (let n = 0; n < 20; n++) setImmediate(() => { throw new Error('number ' + n); });",
  );
  await act();
  await expect.poll(count).toBe(20);
  await expect.poll(errors).toHaveLength(20);
});

test('a mock whose output nobody reads any more continues, and does not fail because of its log', async () => {
  const { act, balance, count, child } = await startWith(`process.stdout.write('to nobody');
    setTimeout(() => { throw new Error(value); });`);
  child.stdout.destroy();
  child.stderr.destroy();
  for (let n = 0; n < 5; n++) expect((await act()).status).toBe(200);
  await expect.poll(count).toBeGreaterThanOrEqual(5);
  const before = await count();
  expect((await balance()).status).toBe(200);
  expect(await count()).toBe(before);
});

test('a stopped mock ends with exit code 0, whatever its handlers have left running', async () => {
  const { act, count, child, ended, output } = await startWith(
    'setInterval(() => { throw new Error(value); }, 1);',
  );
  await act();
  await expect.poll(count).toBeGreaterThan(0);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(output()).toContain('"msg":"stopped"');
});

test('an uncaught error before the mock is ready ends the process', async () => {
  const cwd = usedFolder();
  const code = "queueMicrotask(() => { throw new Error('early'); });\nexport default () => {};";
  writeFiles(cwd, { [`fixtures/${HANDLER}`]: code });
  const { ended } = await spawnCommand(FREE_PORTS, { cwd });
  expect(await ended).toMatchObject({ code: 1, stdout: '' });
});

test('an uncaught error under momo-mock run does not stop the command', async () => {
  const cwd = usedFolder();
  const code = `export default ({ body }) => {
    setTimeout(() => { throw new Error(body.value); });
  };`;
  writeFiles(cwd, { [`fixtures/${HANDLER}`]: code });
  const script = `const { MOMO_MOCK_URL: url, MOMO_MOCK_CONTROL_URL: control } = process.env;
    const key = '?apikey=' + process.env.MOMO_MOCK_APIKEY;
    await fetch(url + '/momo/act' + key, { method: 'POST', body: '{"value":"${VALUE}"}' });
    const health = async () => (await (await fetch(control + '/health')).json()).uncaughtErrors;
    while ((await health()) === 0);
    console.log(await health(), (await fetch(url + '/momo/balance' + key)).status);`;
  const ended = await runNode(script, [], { cwd });
  expect(ended).toMatchObject({ code: 0, signal: null, stdout: '1 200\n' });
  const [record = '', tally] = ended.stderr.split('\n');
  expect(readRecord(record).msg).toMatch(at(2, 'it threw an Error'));
  expect(tally).toBe('momo-mock: 2 requests: 2 × 200');
  expect(ended.stderr).not.toContain(VALUE);
});

test('an uncaught error in the test process reaches the test runner', async () => {
  const script = `import { startMomoMock } from '${new URL('../../dist/index.js', import.meta.url)}';
    const mock = await startMomoMock();
    const added = process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection');
    process.on('unhandledRejection', ({ message }) => console.log(added, message));
    await mock.handle('GET /momo/act', () => void Promise.reject(new Error('for the runner')));
    const { get } = await import('node:https');
    get(mock.url + '/momo/act?apikey=' + mock.apiKey, { agent: mock.agent }, (response) =>
      response.resume().on('end', () => mock.close()));`;
  const cwd = usedFolder();
  writeFiles(cwd, { 'runner.mjs': script });
  const { ended } = await spawnCommand([], { cli: join(cwd, 'runner.mjs'), cwd });
  expect(await ended).toMatchObject({ code: 0, stdout: '0 for the runner\n', stderr: '' });
});
