import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  LONGEST_STATE_NAME,
  LONGEST_STATE_VALUE,
  MOST_STATE_NAMES,
} from '../../../src/mock/limits.ts';
import type { State } from '../../../src/mock/state/state.ts';
import { StartLayer } from '../../../src/mock/state/state-layer.ts';
import { StateStore } from '../../../src/mock/state/state-store.ts';
import { runs } from '../../endurance/scale.ts';

/** A store, with the types of values that handlers see. */
type Store = State & Pick<StateStore, 'startWith' | 'reset'>;

interface Stores {
  readonly start: Record<string, unknown>;
  readonly service: Store;
  readonly account: Store;
  readonly changes: string[];
}

function stores(start: Record<string, unknown> = {}): Stores {
  const changes: string[] = [];
  const service = new StateStore(new StartLayer(() => start), () => changes.push('service'));
  const account = new StateStore(service.layer, () => changes.push('account'));
  return { start, service, account, changes };
}

const INVALID = (problem: string) => ({
  name: 'MomoMockError',
  code: 'MOMO_MOCK_STATE_INVALID',
  message: expect.stringContaining(`Failed to write the state: ${problem}`),
});

describe('the state of an account', () => {
  it('is read from the account first, then from the service, then from the start', async () => {
    const { service, account } = stores({ a: 1, b: 1, c: 1 });
    await service.set('b', 2);
    await service.set('c', 2);
    await account.set('c', 3);
    expect(await account.list()).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
    expect(await service.get('c')).toBe(2);
    expect(await account.get('d')).toBeUndefined();
  });

  it('hides what it deleted, until it is set again or the account is reset', async () => {
    const { service, account } = stores({ a: 1 });
    await account.delete('a');
    await service.set('a', 2);
    expect([await account.get('a'), await account.list()]).toEqual([undefined, []]);
    await account.set('a', 3);
    expect(await account.get('a')).toBe(3);
    await account.delete('a');
    account.reset();
    expect(await account.get('a')).toBe(2);
  });

  it('is, after a reset, what it started with', async () => {
    const { account } = stores({ a: 1 });
    account.startWith({ a: 2, b: 2 });
    await account.set('a', 3);
    await account.delete('b');
    await account.set('c', 3);
    account.reset();
    expect(await account.list()).toEqual([
      ['a', 2],
      ['b', 2],
    ]);
  });

  it('follows the start of a tree that was read again', async () => {
    let start: Record<string, unknown> | undefined = { a: 1 };
    const service = new StateStore(new StartLayer(() => start), () => {});
    expect(await service.get('a')).toBe(1);
    start = { a: 2 };
    expect(await service.get('a')).toBe(2);
    start = undefined;
    expect(await service.list()).toEqual([]);
  });

  it('gives copies, and keeps copies', async () => {
    const { start, account } = stores({ of: { start: [1] } });
    const value = { list: [1] };
    await account.set('a', value);
    value.list.push(2);
    (await account.get('a')).list.push(3);
    (await account.list('a'))[0]?.[1].list.push(4);
    await account.transaction((draft) => draft.get('a').list.push(5));
    expect(await account.get('a')).toEqual({ list: [1] });
    (await account.get('of')).start.push(2);
    expect(start).toEqual({ of: { start: [1] } });
  });

  it('lists in the order of the names', async () => {
    const { account } = stores({ 'a/2': 2, b: 0 });
    await account.set('a/10', 10);
    await account.set('a/1', 1);
    expect(await account.list('a/')).toEqual([
      ['a/1', 1],
      ['a/10', 10],
      ['a/2', 2],
    ]);
  });

  it('has names that objects have, as ordinary ones', async () => {
    const { account } = stores();
    const names = ['__proto__', 'constructor', 'toString'];
    for (const name of names) expect(await account.get(name)).toBeUndefined();
    for (const name of names) await account.set(name, { name });
    expect(await account.list()).toEqual(names.map((name) => [name, { name }]));
    account.startWith(JSON.parse('{"__proto__":1}'));
    expect(await account.list()).toEqual([['__proto__', 1]]);
  });

  it('says when it changes', async () => {
    const { service, account, changes } = stores();
    await account.get('a');
    await account.list();
    await account.set('a', 1);
    await service.update('b', () => 1);
    await account.transaction((draft) => draft.delete('a'));
    await account.delete('a');
    account.reset();
    expect(changes).toEqual(['account', 'service', 'account', 'account', 'account']);
  });
});

describe('update and transaction', () => {
  it('update changes a value, makes one, and removes one', async () => {
    const { account } = stores({ n: 1 });
    const increase = (n = 0) => n + 1;
    expect(await account.update('n', increase)).toBe(2);
    expect(await account.update('new', increase)).toBe(1);
    expect(await account.update('n', () => undefined)).toBeUndefined();
    expect(await account.list()).toEqual([['new', 1]]);
  });

  it('a transaction reads what it wrote, and its result is that of the function', async () => {
    const { account } = stores({ a: 1, b: 2 });
    const result = await account.transaction((draft) => {
      draft.set('c', draft.get('a') + draft.get('b'));
      draft.delete('a');
      draft.set('d', 0);
      draft.delete('d');
      expect([draft.get('a'), draft.get('c'), draft.get('d')]).toEqual([undefined, 3, undefined]);
      return draft.list();
    });
    expect(result).toEqual([
      ['b', 2],
      ['c', 3],
    ]);
    expect(await account.list()).toEqual(result);
  });

  it('a transaction removes as delete does: it hides what the service has at that time', async () => {
    for (const remove of [
      (state: State) => state.delete('a'),
      (state: State) => state.transaction((draft) => draft.delete('a')),
    ]) {
      const { service, account } = stores();
      await service.set('a', 1);
      await remove(account);
      await service.set('a', 2);
      expect(await account.get('a')).toBeUndefined();
      await service.delete('a');
      await remove(account);
      await service.set('a', 3);
      expect(await account.get('a')).toBe(3);
    }
  });

  it('many at once do not lose a change', async () => {
    const { account } = stores();
    await Promise.all(Array.from({ length: 50 }, () => account.update('n', (n = 0) => n + 1)));
    expect(await account.get('n')).toBe(50);
  });

  it('a throw writes nothing, and is thrown', async () => {
    const { account, changes } = stores({ a: 1 });
    const failing = account.transaction((draft) => {
      draft.set('a', 2);
      draft.delete('a');
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect([await account.get('a'), changes]).toEqual([1, []]);
  });

  it.each([
    ['transaction', (state: State) => state.transaction(async (draft) => draft.set('a', 2))],
    ['update', (state: State) => state.update('a', async () => 2)],
    ['transaction', (state: State) => state.transaction(() => Promise.reject(new Error('x')))],
  ])('an asynchronous function in %s is an error, and writes nothing', async (_what, write) => {
    const { account } = stores({ a: 1 });
    await expect(write(account)).rejects.toMatchObject(INVALID('the function is asynchronous'));
    expect(await account.get('a')).toBe(1);
  });
});

describe('what the state cannot contain', () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const throwing = Object.defineProperty({}, 'a', {
    enumerable: true,
    get: () => Object(null).x.y,
  });

  it.each([
    ['undefined', undefined],
    ['a function', () => 1],
    ['a bigint', 1n],
    ['a circle', circular],
    ['a getter that throws', throwing],
  ])('is refused: %s', async (_what, value) => {
    const { account } = stores();
    const problem = INVALID('the value cannot be written as JSON');
    await expect(account.set('a', value)).rejects.toMatchObject(problem);
    await expect(account.transaction((it) => it.set('a', value))).rejects.toMatchObject(problem);
    expect(() => account.startWith({ a: value })).toThrow(expect.objectContaining(problem));
    expect(await account.list()).toEqual([]);
  });

  it.each(['', 'n'.repeat(LONGEST_STATE_NAME + 1), 1 as never, undefined as never])(
    'is refused: a name that is empty, too long or no text; reading it gives nothing',
    async (name) => {
      const { account } = stores();
      const problem = INVALID('a name must be text of 1 to 512 characters');
      await expect(account.set(name, 1)).rejects.toMatchObject(problem);
      await expect(account.delete(name)).rejects.toMatchObject(problem);
      await expect(account.update(name, () => 1)).rejects.toMatchObject(problem);
      await expect(account.transaction((it) => it.delete(name))).rejects.toMatchObject(problem);
      expect(await account.get(name)).toBeUndefined();
    },
  );

  it('the longest name and the longest value are none of it', async () => {
    const { account } = stores();
    const name = 'n'.repeat(LONGEST_STATE_NAME);
    const value = 'é'.repeat((LONGEST_STATE_VALUE - 2) / 2);
    await account.set(name, value);
    expect(await account.get(name)).toBe(value);
    const longer = account.set(name, `${value}x`);
    await expect(longer).rejects.toMatchObject(INVALID('the value is longer than 1 MiB'));
    expect(await account.get(name)).toBe(value);
  });

  it('more than 10,000 names; names can be replaced and deleted then', async () => {
    const { service, account } = stores({ hidden: 1 });
    const names = Array.from({ length: MOST_STATE_NAMES }, (_, at) => `n${at}`);
    account.startWith(Object.fromEntries(names.map((name) => [name, 0])));
    const full = INVALID('it can have 10,000 names at most');
    await expect(account.set('one more', 1)).rejects.toMatchObject(full);
    await expect(account.delete('hidden')).rejects.toMatchObject(full);
    await account.set('n0', 1);
    await account.transaction((draft) => {
      draft.set('one more', 1);
      draft.delete('n0');
    });
    expect(await account.get('one more')).toBe(1);
    await service.set('one more', 2);
    const more = { ...Object.fromEntries(names.map((name) => [name, 0])), more: 1 };
    expect(() => account.startWith(more)).toThrow(expect.objectContaining(full));
  });
});

describe('any writes', () => {
  const name = fc.constantFrom('a', 'a/1', 'a/2', 'b', '__proto__', 'constructor');
  const scope = fc.constantFrom('service' as const, 'account' as const);
  const write = fc.record({ scope, name, value: fc.option(fc.jsonValue(), { nil: undefined }) });
  const step = fc.array(write, { maxLength: 4 });
  const start = fc.dictionary(name, fc.jsonValue());

  it('are read as from a simple model: three maps, the first that knows a name decides', async () => {
    await fc.assert(
      fc.asyncProperty(start, fc.array(step, { maxLength: 12 }), async (given, steps) => {
        const { service, account } = stores(given);
        const maps = { service: new Map<string, unknown>(), account: new Map<string, unknown>() };
        const below = new Map(Object.entries(given));
        for (const writes of steps) {
          for (const which of ['service', 'account'] as const) {
            const own = writes.filter((it) => it.scope === which);
            await (which === 'service' ? service : account).transaction((draft) => {
              for (const { name, value } of own) {
                if (value === undefined) draft.delete(name);
                else draft.set(name, value);
              }
            });
            for (const { name, value } of own) {
              // A name that the layers below do not have leaves nothing to hide.
              const isBelow = which === 'service' ? below.has(name) : seen(maps.service).has(name);
              if (value === undefined && !isBelow) maps[which].delete(name);
              else maps[which].set(name, value);
            }
          }
          const expected = seen(maps.service, maps.account);
          const list = [...expected].sort(([a], [b]) => (a < b ? -1 : 1));
          expect(JSON.stringify(await account.list())).toBe(JSON.stringify(list));
          const under = list.filter(([name]) => name.startsWith('a/'));
          expect(JSON.stringify(await account.list('a/'))).toBe(JSON.stringify(under));
          expect(JSON.stringify(await account.get('a'))).toBe(JSON.stringify(expected.get('a')));
        }

        function seen(...layers: Map<string, unknown>[]): Map<string, unknown> {
          const all = [below, ...layers].flatMap((layer) => [...layer]);
          return new Map([...new Map(all)].filter(([, value]) => value !== undefined));
        }
      }),
      runs(20_000, 100),
    );
  });
});
