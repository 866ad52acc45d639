import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { gate } from '../support/gate.ts';
import { describeBothWays, startMock, type TestMock } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';

type State = TestMock['state'];

/** Handlers that show a value as it is, and that say what is listed. */
const FILES = {
  'momo/kept/[name].get.js':
    'export default async ({ params }, { state }) => ({ body: await state.get(params.name) });',
  'momo/copies.get.js': `export default async (_request, { state }) => {
    const value = { list: [1] };
    await state.set('a', value);
    value.list.push(2);
    (await state.get('a')).list.push(3);
    (await state.list('a')).a.list.push(4);
    await state.transaction((draft) => draft.get('a').list.push(5));
    (await state.get('start')).list.push(6);
    return { body: await state.list() };
  };`,
};
const START = { 'state.json': { a: 1, b: 1, c: 1 } };

const invalid = (problem: string) => ({
  name: 'MomoMockError',
  code: 'MOMO_MOCK_STATE_INVALID',
  message: expect.stringContaining(`Failed to write the state: ${problem}`),
});

describeBothWays((start) => {
  it('the state is read from the account, then from all accounts, then from state.json', async () => {
    const mock = await start(START);
    const account = await mock.createAccount({ state: { d: 3 } });
    await mock.state.set('b', 2);
    await mock.state.set('c', 2);
    await account.state.set('c', 3);
    const all = { a: 1, b: 2, c: 3, d: 3 };
    expect(await account.state.list()).toEqual(all);
    expect(await mock.state.get('c')).toBe(2);
    expect(await account.state.get('e')).toBeUndefined();
  });

  it('the state of an account hides a deleted value until it is set again or the account is reset', async () => {
    const mock = await start(START);
    const { state, reset } = await mock.createAccount();
    for (const remove of [
      () => state.delete('a'),
      () => state.transaction((draft) => draft.delete('a')),
      () => state.update('a', () => undefined),
    ]) {
      await remove();
      await mock.state.set('a', 2);
      expect([await state.get('a'), await state.list()]).toEqual([undefined, { b: 1, c: 1 }]);
      await state.set('a', 3);
      expect(await state.get('a')).toBe(3);
      await remove();
      await reset();
      expect(await state.get('a')).toBe(2);
      await mock.state.delete('a');
      await remove();
      await mock.state.set('a', 4);
      // What was not there was not hidden.
      expect(await state.get('a')).toBe(4);
    }
  });

  it('the state has its initial values after a reset', async () => {
    const mock = await start(START);
    const account = await mock.createAccount({ state: { a: 2, z: 2 } });
    await account.state.set('a', 3);
    await account.state.delete('z');
    await account.state.set('new', 3);
    await account.reset();
    expect(await account.state.list()).toEqual({ a: 2, b: 1, c: 1, z: 2 });
    await mock.state.set('a', 5);
    await mock.state.delete('b');
    await mock.reset();
    expect(await mock.state.list()).toEqual({ a: 1, b: 1, c: 1 });
  });

  it('the state can be listed by the beginning of the names, in order', async () => {
    const { state } = await start();
    for (const name of ['b/2', 'a', 'b/10', 'b/1']) await state.set(name, name);
    const of = async (prefix?: string) => Object.keys(await state.list(prefix));
    expect(await of('b/')).toEqual(['b/1', 'b/10', 'b/2']);
    expect(await of()).toEqual(['a', 'b/1', 'b/10', 'b/2']);
    expect(await of('c')).toEqual([]);
  });

  it.each(['a/b', '../a', 'a//', '%2F', 'é?#&= +', '__proto__', 'toString', 'é'.repeat(512)])(
    'the state accepts the name %s',
    async (name) => {
      const { state } = await start();
      expect(await state.get(name)).toBeUndefined();
      await state.set(name, { name });
      expect(await state.get(name)).toEqual({ name });
      expect(await state.list()).toEqual(Object.fromEntries([[name, { name }]]));
      await state.update(name, (value) => [value]);
      expect(await state.get(name)).toEqual([{ name }]);
      await state.delete(name);
      expect(await state.list()).toEqual({});
    },
  );

  it('an update changes a value, creates one, and removes one', async () => {
    const { state } = await start();
    const increase = (n = 0) => n + 1;
    expect([await state.update('n', increase), await state.update('n', increase)]).toEqual([1, 2]);
    expect(await state.update('n', () => undefined)).toBeUndefined();
    expect(await state.list()).toEqual({});
  });

  it('a transaction makes several changes, and returns the result of its function', async () => {
    const { state } = await start(START);
    const result = await state.transaction((draft) => {
      draft.set('d', draft.get('a') + draft.get('b'));
      draft.delete('a');
      draft.set('e', 0);
      draft.delete('e');
      return [draft.get('a'), draft.get('e'), draft.list()];
    });
    const list = { b: 1, c: 1, d: 2 };
    expect(result).toEqual([undefined, undefined, list]);
    expect(await state.list()).toEqual(list);
  });

  it.each<[string, (state: State) => Promise<unknown>, problem: string]>([
    [
      'throws',
      (state) =>
        state.transaction((draft) => {
          draft.set('a', 2);
          throw new Error('on purpose');
        }),
      'on purpose',
    ],
    ['is async', (state) => state.transaction(async (draft) => draft.set('a', 2)), 'asynchronous'],
    ['is async', (state) => state.update('a', async () => 2), 'asynchronous'],
    ['rejects', (state) => state.transaction(() => Promise.reject(new Error('x'))), 'asynchronous'],
  ])('the state writes nothing if the function %s', async (_what, write, problem) => {
    const { state } = await start(START);
    await expect(write(state)).rejects.toThrow(problem);
    expect(await state.get('a')).toBe(1);
  });

  it('the state loses none of many simultaneous changes', async () => {
    const { state } = await start();
    await Promise.all(Array.from({ length: 50 }, () => state.update('n', (n = 0) => n + 1)));
    expect(await state.get('n')).toBe(50);
  });

  const circular: { self?: unknown } = {};
  circular.self = circular;
  const throwing = Object.defineProperty({}, 'a', {
    enumerable: true,
    get: () => Object(null).x.y,
  });

  it.each<[string, unknown, problem: string]>([
    ['undefined', undefined, 'the value cannot be written as JSON'],
    ['a function', () => 1, 'the value cannot be written as JSON'],
    ['a circle', circular, 'the value cannot be written as JSON'],
    ['a getter that throws', throwing, 'the value cannot be written as JSON'],
    ['more than 1 MiB', `${'é'.repeat(524_287)}x`, 'the value is longer than 1 MiB'],
  ])('the state refuses the value %s', async (_what, value, problem) => {
    const mock = await start();
    const { state } = mock;
    await expect(state.set('a', value)).rejects.toMatchObject(invalid(problem));
    const draft = state.transaction((it) => it.set('a', value));
    await expect(draft).rejects.toMatchObject(invalid(problem));
    expect(await state.list()).toEqual({});
  });

  it.each(['', 'n'.repeat(513), 1 as never, undefined as never])(
    'the state refuses the name %s, and reading it returns undefined',
    async (name) => {
      const { state } = await start();
      const problem = invalid('a name must be text of 1 to 512 characters');
      await expect(state.set(name, 1)).rejects.toMatchObject(problem);
      await expect(state.delete(name)).rejects.toMatchObject(problem);
      await expect(state.update(name, () => 1)).rejects.toMatchObject(problem);
      await expect(state.transaction((it) => it.delete(name))).rejects.toMatchObject(problem);
      expect(await state.get(name)).toBeUndefined();
    },
  );

  it('the state has at most 10,000 names, which can then be replaced and deleted', async () => {
    const mock = await start({ 'state.json': { hidden: 1 } });
    const names = Array.from({ length: 10_000 }, (_, at) => [`n${at}`, 0]);
    const full = invalid('it can have 10,000 names at most');
    const more = Object.fromEntries([...names, ['more', 0]]);
    await expect(mock.createAccount({ state: more })).rejects.toMatchObject(full);
    const { state } = await mock.createAccount({ state: Object.fromEntries(names) });
    await expect(state.set('one more', 1)).rejects.toMatchObject(full);
    await expect(state.delete('hidden')).rejects.toMatchObject(full);
    await state.set('n0', 1);
    await state.transaction((draft) => {
      draft.set('one more', 1);
      draft.delete('n0');
    });
    expect(await state.get('one more')).toBe(1);
    await mock.state.set('one more', 2);
  });

  it('the state shows configured keys as [redacted], and keeps them when the shown value is written back', async () => {
    const mock = await start(FILES);
    const { state } = mock;
    const value = { token: `a ${mock.apiKey}`, n: 1 };
    await state.set('of', value);
    await state.set('n', 1);
    const shown = await state.get('of');
    expect(shown).toEqual({ token: 'a [redacted]', n: 1 });
    const redacted = { name: 'MomoMockError', code: 'MOMO_MOCK_STATE_REDACTED' };
    await expect(state.set('of', shown)).rejects.toMatchObject(redacted);
    await expect(state.set('copy', shown.token)).rejects.toMatchObject(redacted);
    await state.transaction((draft) => {
      for (const [name, one] of Object.entries(draft.list())) draft.set(name, one);
      draft.set('n', draft.get('n') + 1);
    });
    await state.update('of', (one) => one);
    expect(await state.list()).toEqual({ n: 2, of: shown });
    const kept = async () => (await ask(mock, '/momo/kept/of')).text;
    expect(await kept()).toBe(JSON.stringify(value));
    await state.set('of', 'whole');
    expect(await kept()).toBe('whole');
  });

  it('the state fails for a removed account, and after close', async () => {
    const mock = await start();
    const account = await mock.createAccount();
    await account.remove();
    const unknown = { code: 'MOMO_MOCK_ACCOUNT_UNKNOWN' };
    await expect(account.state.get('a')).rejects.toMatchObject(unknown);
    await mock.close();
    const closed = { code: 'MOMO_MOCK_CLOSED' };
    await expect(mock.state.set('a', 1)).rejects.toMatchObject(closed);
    await expect(mock.state.transaction(() => 1)).rejects.toMatchObject(closed);
  });
});

it.each<[string, (mock: TestMock) => Promise<void>]>([
  ['of all accounts', (mock) => mock.reset()],
  ['of its account', (mock) => mock.account().reset()],
])('a handler and a timer that a reset %s overtook change nothing', async (_whose, reset) => {
  const mock = await startMock(FILES);
  const { url, calls } = await startWebhook();
  const [handler, timer, over] = [gate(), gate(), gate()];
  await mock.handle('GET /momo/late', async (_request, { state, after, webhook, prompt }) => {
    const change = async () => {
      await over.opened;
      await state.set('late', 1);
      webhook({ url });
      after(0, () => webhook({ url }));
      prompt({ title: 'Pay?', text: 'To whom?', choices: ['yes'] }, () => webhook({ url }));
    };
    after(0, () => {
      timer.open();
      return change();
    });
    handler.open();
    await change();
    return {};
  });
  await mock.account().freeze();
  const asked = ask(mock, '/momo/late');
  await handler.opened;
  const advanced = mock.account().advance(0);
  await timer.opened;
  await reset(mock);
  over.open();
  expect((await asked).status).toBe(200);
  await advanced;
  await mock.advance('idle');
  expect((await ask(mock, '/momo/kept/late')).text).toBe('');
  expect([calls, await mock.prompts()]).toEqual([[], []]);
  expect(await mock.snapshot()).toMatchObject({ timers: 0, all: {} });
});

describe('a handler', () => {
  it('reads and writes copies of values', async () => {
    const mock = await startMock({ ...FILES, 'state.json': { start: { list: [1] } } });
    for (let round = 0; round < 2; round++) {
      expect((await ask(mock, '/momo/copies')).json).toEqual({
        a: { list: [1] },
        start: { list: [1] },
      });
    }
  });

  it('sees the state.json of a reloaded tree', async () => {
    const mock = await startMock(START, { watch: true });
    writeFiles(mock.folder, { 'state.json': { a: 2 } });
    await expect.poll(() => mock.state.list()).toEqual({ a: 2 });
    await mock.state.set('own', 1);
    writeFiles(mock.folder, { 'state.json': {} });
    await expect.poll(() => mock.state.list()).toEqual({ own: 1 });
  });
});
