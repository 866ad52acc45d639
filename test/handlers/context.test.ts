import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, type Sent } from '../support/client.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { startLogged, startMock } from '../support/mock.ts';

const post = (body: unknown = {}): Sent => ({ method: 'POST', body });

it('a handler gets its account, the time of its clock, and a new UUID', async () => {
  const mock = await startMock({
    'momo/ping.get.js': `export default (_request, { account, now, uuid }) =>
      ({ body: { account, now: now(), uuid: uuid() } });`,
  });
  const [plain, other] = [
    await mock.createAccount(),
    await mock.createAccount({ variant: 'empty' }),
  ];
  await mock.freeze();
  await ask(plain);
  await ask(other);
  const ids = (await mock.requests()).map(({ account }) => account);
  const ping = async (account: typeof plain) =>
    (await ask(account, '/momo/ping')).json as { now: number; uuid: string };
  const [first, second] = [await ping(plain), await ping(other)];
  expect([first, second]).toMatchObject([
    { account: { id: ids[0], variant: null } },
    { account: { id: ids[1], variant: 'empty' } },
  ]);
  expect(first.uuid).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  expect(second.uuid).not.toBe(first.uuid);
  await plain.advance(86_400_000);
  expect((await ping(plain)).now - first.now).toBe(86_400_000);
  expect((await ping(other)).now).toBe(second.now);
});

it('a scripted status or body skips the handler, and a fault alone does not', async () => {
  const mock = await startMock({
    'momo/pay.post.js': `export default async (_request, { state }) =>
      ({ body: await state.update('calls', (calls = 0) => calls + 1) });`,
  });
  const account = await mock.createAccount();
  const operation = 'POST /momo/pay';
  await account.respondWith([{ status: 503 }, { body: 'x' }].map((one) => ({ operation, ...one })));
  await account.respondWith({ operation, fault: 'reset' });
  for (const calls of [undefined, undefined, 1, 2]) {
    await ask(account, '/momo/pay', post()).catch(() => {});
    expect(await account.state.get('calls')).toBe(calls);
  }
});

it('a handler logs at every level, without keys', async () => {
  const mock = await startLogged(
    {
      'momo/ping.get.js': `export default (_request, { log }) => {
        for (const level of ['debug', 'info', 'warn', 'error']) log[level]('a sekret ' + level);
      };`,
    },
    { API_KEYS: 'sekret' },
  );
  await ask(mock, '/momo/ping');
  const own = mock.records.filter(({ operation, status }) => operation && status === undefined);
  expect(own.map(({ level, operation, msg }) => [level, operation, msg])).toEqual(
    [20, 30, 40, 50].map((level, at) => {
      const name = ['debug', 'info', 'warn', 'error'][at];
      return [level, 'GET /momo/ping', `a [redacted] ${name}`];
    }),
  );
});

it('a changed handler is reloaded and keeps its state', async () => {
  const counting = (word: string) => `export default async (_request, { state }) =>
    ({ body: { ${word}: await state.update('n', (n = 0) => n + 1) } });`;
  const files = { 'momo/ping.get.js': counting('old') };
  const mock = await startMock(files, { watch: true });
  const ping = async () => (await ask(mock, '/momo/ping')).json as Record<string, number>;
  expect(await ping()).toEqual({ old: 1 });
  writeFiles(mock.folder, { 'momo/ping.get.js': counting('new') });
  await expect.poll(ping).toMatchObject({ new: expect.any(Number) });
  expect((await ping()).new).toBeGreaterThan(2);
});

describe('fixture(path)', () => {
  const FILES = {
    'momo/read.post.js': `export default async ({ body }, { fixture, log }) => {
      const value = await fixture(body.path).catch((error) => ({ error: error.message }));
      value.changed = true;
      if (value.error !== undefined) log.warn(value.error);
      return { body: await fixture(body.path) };
    };`,
    'momo/_phones.json': { a: [1] },
    'momo/balance.get.json': { mine: true },
    'state.json': {},
    '_text.txt': 'x',
    '_bad.json': '{"a":\n oops}',
  };
  const start = async () => {
    const mock = await startLogged(FILES);
    const read = async (path: unknown) => await ask(mock, '/momo/read', post({ path }));
    return { mock, read };
  };

  it('returns a copy of the current file, by its path from the root', async () => {
    const { mock, read } = await start();
    for (let turn = 0; turn < 2; turn++) {
      expect((await read('momo/_phones.json')).json).toEqual({ a: [1] });
    }
    writeFiles(mock.folder, { 'momo/_phones.json': { b: 2 } });
    expect((await read('momo/_phones.json')).json).toEqual({ b: 2 });
  });

  it('prefers files of the user over shipped files', async () => {
    const { mock, read } = await start();
    expect((await read('momo/balance.get.json')).json).toEqual({ mine: true });
    rmSync(join(mock.folder, 'momo/balance.get.json'));
    expect((await read('momo/balance.get.json')).json).not.toEqual({ mine: true });
    expect((await read('momo/balance.get.json')).status).toBe(200);
  });

  it('follows links that stay inside the tree', async () => {
    const { mock, read } = await start();
    const outside = temporaryFolder();
    writeFiles(outside, { 'a.json': 'sekret' });
    symlinkSync('momo/_phones.json', join(mock.folder, '_inside.json'));
    symlinkSync(join(outside, 'a.json'), join(mock.folder, '_outside.json'));
    symlinkSync(outside, join(mock.folder, '_up'));
    expect((await read('_inside.json')).json).toEqual({ a: [1] });
    for (const path of ['_outside.json', '_up/a.json']) {
      expect((await read(path)).status).toBe(500);
    }
    expect(mock.logged().split('a link to a place outside the fixtures')).toHaveLength(5);
  });

  const WRONG_PATH = 'it is not the path of a .json file. Use a path from the';
  const MISSING = 'Failed to read the file of fixture(): there is no such file in the fixtures';
  const CANARY = 'kanarienvogel';

  it.each<[path: unknown, words: string]>([
    ['../state.json', WRONG_PATH],
    ['/etc/x.json', WRONG_PATH],
    ['momo\\_phones.json', WRONG_PATH],
    ['_text.txt', WRONG_PATH],
    [CANARY, WRONG_PATH],
    [{ toString: CANARY }, WRONG_PATH],
    [undefined, WRONG_PATH],
    [`state.json/${CANARY}.json`, MISSING],
    [`${`${CANARY}/`.repeat(1000)}a.json`, MISSING],
    ['_bad.json', '_bad.json:2:2: it is not JSON'],
  ])('refuses the path %j, and repeats no value of a client', async (path, words) => {
    const { mock, read } = await start();
    expect((await read(path)).status).toBe(500);
    // The handler is told, and so is the log when it fails.
    expect(mock.logged().split(words)).toHaveLength(3);
    expect(mock.logged()).not.toContain(CANARY);
  });
});
