import { describe, expect, it, onTestFinished } from 'vitest';
import { shown, shownWhole } from '../../src/mock/journal/entry.ts';
import { type JournalRecord, newAttempt, newRequest } from '../../src/mock/journal/record.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';
import { readScript, type ScriptedResponse } from '../../src/mock/scripted-response.ts';
import { MemoryStore } from '../../src/mock/store/memory-store.ts';
import type { Follower, NewAccount, StateRead, Store } from '../../src/mock/store/store.ts';
import { RedisStore, type RedisStoreOptions } from '../../src/redis-store/redis-store.ts';
import { has } from '../support/machine.ts';
import { forSuite } from '../support/mock.ts';
import { startRedis } from '../support/redis-server.ts';

const BALANCE = 'GET /momo/balance';
const KEYS: NewAccount[] = [{ key: 'alice' }, { key: 'bob', variant: 'empty' }];

const answer = (text: string) => ({ status: 200, headers: {}, body: Buffer.from(text) });

const script = (given: ScriptedResponse = {}) => readScript({ status: 503, ...given });

/** What a state shows, the first layer above the others. */
const shownState = ({ layers }: StateRead) =>
  Object.fromEntries(layers.toReversed().flatMap((layer) => [...layer]));

/** A follower that takes no notice. */
const NOBODY: Follower = {
  began: () => {},
  ended: () => {},
  emptied: () => {},
  changed: () => {},
  reset: () => {},
  removed: () => {},
  moved: () => {},
  advance: async () => {},
  now: () => 0,
  pending: () => 0,
  oldest: () => [],
  at: () => {},
};

/** What each store must do, whatever is behind it. */
function describeStore(name: string, start: (configured: NewAccount[]) => Promise<Store>): void {
  describe(name, () => {
    const idOf = async (store: Store, key: string) => (await store.find(key))?.id;

    it('finds the account of a key, and nothing else', async () => {
      const store = await start(KEYS);
      const decided = await store.decide('bob', BALANCE, false);
      const account = { id: 'account-2', key: 'bob', initialVariant: 'empty' };
      expect(decided).toMatchObject({ account, service: {}, script: undefined });
      for (const key of ['carol', '', 'account-2', undefined]) {
        const { account } = await store.decide(key, BALANCE, false);
        expect(account).toBeUndefined();
      }
      expect((await store.accounts()).map(({ key }) => key)).toEqual(['alice', 'bob']);
    });

    it('gives a scripted response exactly as often as it says, to whoever asks', async () => {
      const store = await start(KEYS);
      await store.change(undefined, { scripts: [script({ times: 1000 })] });
      const asked = Array.from({ length: 3000 }, async (_, n) =>
        store.decide(n % 2 ? 'alice' : 'bob', BALANCE, false),
      );
      const given = (await Promise.all(asked)).filter((one) => one.script !== undefined);
      expect(given).toHaveLength(1000);
      expect((await store.get(undefined)).scripts).toEqual([]);
    });

    it('counts the requests of each account, and takes nothing for one above the limit', async () => {
      const store = await start(KEYS);
      const { id } = (await store.find('alice')) ?? {};
      await store.change(undefined, { rateLimit: { limit: 2, window: 1000 }, scripts: [script()] });
      store.setClock(undefined, { offset: 0, stands: 5000, isFrozen: true });
      store.setClock(id, { offset: 0, stands: 7000, isFrozen: true });
      await Promise.all([store.shareClock(undefined), store.shareClock(id)]);
      const ask = async (key: string) => {
        const { exceeded, script } = await store.decide(key, BALANCE, false);
        return exceeded ?? (script === undefined ? 'nothing' : 'script');
      };
      await store.decide('alice', BALANCE, true);
      expect([await ask('wrong'), await ask('bob')]).toEqual(['nothing', 'script']);
      await store.change(id, { more: [script()] });
      expect([await ask('bob'), await ask('bob')]).toEqual([
        'nothing',
        { limit: 2, window: 1000, reset: 1000 },
      ]);
      expect([await ask('alice'), await ask('alice')]).toEqual([
        'script',
        { limit: 2, window: 1000, reset: 1000 },
      ]);
      store.setClock(id, { offset: 0, stands: 7999, isFrozen: true });
      await store.shareClock(id);
      expect(await ask('alice')).toEqual({ limit: 2, window: 1000, reset: 1 });
      store.setClock(id, { offset: 0, stands: 6999, isFrozen: true });
      await store.shareClock(id);
      expect([await ask('alice'), await ask('alice')]).toEqual(['nothing', 'nothing']);
      expect(await ask('alice')).toMatchObject({ reset: 1000 });
      await store.change(id, { rateLimit: { limit: 1, window: 500 } });
      expect(await store.get(id)).toMatchObject({ rateLimit: { limit: 1, window: 500 } });
      expect([await ask('alice'), await ask('alice')]).toMatchObject(['nothing', { window: 500 }]);
      await store.change(id, { rateLimit: null });
      expect((await store.get(id)).rateLimit).toBeUndefined();
      await store.reset(undefined);
      expect((await store.get(undefined)).rateLimit).toBeUndefined();
    });

    it('takes the first that a request may have: before the key check, the account, the service', async () => {
      const store = await start(KEYS);
      const alice = await idOf(store, 'alice');
      const of = (status: number, given: ScriptedResponse = {}) => script({ ...given, status });
      await store.change(undefined, {
        scripts: [of(501), of(502, { operation: 'GET /other' }), of(503, { beforeKeyCheck: true })],
      });
      await store.change(alice, { scripts: [of(504)], more: [of(505)] });
      const take = async (
        key: string | undefined,
        operation: string | undefined,
        isRefused = false,
      ) => (await store.decide(key, operation, isRefused)).script?.status;
      expect([
        await take('alice', undefined),
        await take('wrong', BALANCE, true),
        await take('wrong', BALANCE),
        await take('alice', BALANCE, true),
        await take('alice', BALANCE),
        await take('alice', BALANCE),
        await take('alice', BALANCE),
        await take('alice', BALANCE),
        await take('bob', 'GET /other'),
      ]).toEqual([undefined, 503, undefined, undefined, 504, 505, 501, undefined, 502]);
    });

    it('changes only what an edit names, and removes one scripted response by its position', async () => {
      const store = await start(KEYS);
      const id = await idOf(store, 'alice');
      await store.change(id, { balance: answer('1'), variant: 'empty', scripts: [script()] });
      await store.change(id, { more: [script({ status: 429 })] });
      expect(await store.change(id, { without: 2 })).toBe(false);
      expect(await store.change(id, { without: 0 })).toBe(true);
      const { balance, variant, scripts } = await store.get(id);
      expect([balance, variant, scripts.map(({ status }) => status)]).toEqual([
        answer('1'),
        'empty',
        [429],
      ]);
      await store.change(id, { balance: null, variant: null });
      expect(await store.get(id)).toMatchObject({ balance: undefined, variant: undefined });
      expect(await store.get(undefined)).toMatchObject({ scripts: [], variant: undefined });
    });

    it('holds at most 10,000 scripted responses of a scope, and refuses more as a whole', async () => {
      const store = await start(KEYS);
      await store.change(undefined, { scripts: Array.from({ length: 9999 }, () => script()) });
      await expect(store.change(undefined, { more: [script(), script()] })).rejects.toMatchObject({
        code: 'MOMO_MOCK_REQUEST_INVALID',
      });
      expect(await store.change(undefined, { more: [script()] })).toBe(true);
      expect((await store.get(undefined)).scripts).toHaveLength(10_000);
    });

    it('takes what is scripted for a callback: of the account, then of the service, each once', async () => {
      const store = await start(KEYS);
      const [alice, bob] = [await idOf(store, 'alice'), await idOf(store, 'bob')];
      await store.change(undefined, { callbacks: [{ delay: 1 }, { delay: 2 }] });
      await store.change(alice, { callbacks: [{ lose: true }, {}] });
      expect((await store.get(alice)).callbacks).toEqual([{ lose: true }, {}]);
      const taken = [];
      for (const id of [alice, bob, alice, alice, bob]) taken.push(await store.takeCallback(id));
      expect(taken).toEqual([{ lose: true }, { delay: 1 }, {}, { delay: 2 }, undefined]);
      await store.change(bob, { callbacks: [{ repeat: 2 }] });
      await store.reset(bob);
      expect((await store.get(bob)).callbacks).toEqual([]);
    });

    it('makes an account once, and what was removed is gone', async () => {
      const store = await start(KEYS);
      const made = await Promise.allSettled([1, 2, 3].map(() => store.add({ key: 'carol' })));
      expect(made.map(({ status }) => status).sort()).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
      ]);
      const carol = await store.find('carol');
      expect(carol?.id).toBe('account-3');
      if (carol !== undefined) await store.remove(carol);
      expect((await store.decide('carol', BALANCE, false)).account).toBeUndefined();
      expect((await store.add({ key: 'carol' })).id).toBe('account-4');
    });

    it('reads the state of an account over that of the service', async () => {
      const store = await start([{ key: 'alice', state: new Map([['own', '1']]) }]);
      const id = await idOf(store, 'alice');
      await store.writeState(
        undefined,
        new Map([
          ['own', '2'],
          ['all', '3'],
        ]),
      );
      expect(shownState(await store.readState(id))).toEqual({ own: '1', all: '3' });
      expect(shownState(await store.readState(undefined))).toEqual({ own: '2', all: '3' });
      await store.writeState(
        id,
        new Map([
          ['own', undefined],
          ['all', undefined],
        ]),
      );
      expect(shownState(await store.readState(id))).toEqual({ own: null, all: null });
      await store.writeState(undefined, new Map([['all', undefined]]));
      await store.writeState(
        id,
        new Map([
          ['all', undefined],
          ['other', undefined],
          ['start', null],
        ]),
      );
      expect(shownState(await store.readState(id))).toEqual({ own: null, start: null });
    });

    it('writes a state only if it is as it was read, and nobody in between', async () => {
      const store = await start(KEYS);
      const id = await idOf(store, 'alice');
      const add = async () => {
        for (;;) {
          const { layers, version } = await store.readState(id);
          const n = Number(layers[0]?.get('n') ?? 0) + 1;
          const after = await store.writeState(id, new Map([['n', `${n}`]]), version);
          if (after !== undefined) return after;
        }
      };
      const versions = await Promise.all(Array.from({ length: 50 }, add));
      expect(new Set(versions).size).toBe(50);
      const read = await store.readState(id);
      expect(shownState(read)).toEqual({ n: '50' });
      expect(versions).toContain(read.version);
      await store.writeState(undefined, new Map([['n', '0']]));
      expect(await store.writeState(id, new Map([['n', '0']]), read.version)).toBeUndefined();
    });

    it('refuses a state that would be too large, and writes none of it', async () => {
      const store = await start(KEYS);
      const names = Array.from({ length: 10_000 }, (_, n): [string, string] => [`${n}`, '1']);
      await store.writeState(undefined, new Map(names));
      const error = { code: 'MOMO_MOCK_STATE_INVALID' };
      const more = new Map([
        ['0', '2'],
        ['more', '1'],
      ]);
      await expect(store.writeState(undefined, more)).rejects.toMatchObject(error);
      expect(shownState(await store.readState(undefined))).toEqual(Object.fromEntries(names));
      const swapped = new Map([
        ['0', undefined],
        ['more', '1'],
      ]);
      expect(await store.writeState(undefined, swapped)).toBeDefined();
    });

    it('tells its followers what begins, ends, is emptied and changes, and counts each kind', async () => {
      const store = await start(KEYS);
      const told: unknown[] = [];
      store.follow({
        ...NOBODY,
        began: ({ kind, id }) => told.push(`${kind} ${id}`),
        ended: ({ kind, id, ended }) => told.push(`${kind} ${id} ${ended}`),
        emptied: (kind, scope) => told.push(`no ${kind} of ${scope}`),
        changed: (change) => told.push(change),
        reset: (scope) => told.push(`reset ${scope}`),
        removed: (id) => told.push(`removed ${id}`),
      });
      const requests = [1, 2].map(() => newRequest({ method: 'GET', headers: {} }));
      const callback = {
        url: 'http://localhost/',
        method: 'POST',
        headers: {},
        body: Buffer.alloc(0),
      };
      const sent = { ...callback, id: '', delay: 0, retry: [], timeout: 0, accepts: () => true };
      const attempt = newAttempt(sent, { time: 0, account: null, attempt: 1 });
      for (const record of [...requests, attempt]) store.begin(record);
      store.end(attempt);
      await store.empty('requests', 'account-1');
      await store.change(undefined, { balance: null, more: [script()], callbacks: [] });
      await store.change(undefined, { without: 1 });
      const carol = await store.add({ key: 'carol' });
      await store.remove(carol);
      await store.writeState(undefined, new Map([['n', '1']]));
      await store.writeState(undefined, new Map([['n', '1']]));
      await store.synced();
      expect(told).toEqual([
        ...['requests 1', 'requests 2', 'callbacks 1', 'callbacks 1 true'],
        ...['no requests of account-1', 'requests', 'balance', 'responses', 'callbacks'],
        ...['accounts', 'removed account-3', 'accounts', 'state'],
      ]);
      told.splice(0);
      await store.reset(undefined);
      await store.synced();
      expect(told).toEqual([
        'reset undefined',
        'balance',
        'variant',
        'rate-limit',
        'responses',
        'accounts',
        'state',
        'clock',
      ]);
    });

    it('keeps where each clock is until a reset', async () => {
      const store = await start(KEYS);
      store.follow(NOBODY);
      const frozen = { offset: 1, stands: 2, isFrozen: true };
      store.setClock('account-1', frozen);
      expect(store.clock('account-1')).toEqual(frozen);
      for (const id of [undefined, 'account-2', 'account-3']) {
        expect(store.clock(id)).toEqual({ offset: 0, isFrozen: false });
      }
      await store.reset('account-1');
      await store.synced();
      expect(store.clock('account-1')).toEqual({ offset: 0, isFrozen: false });
    });

    it('restores the start of an account, or of everything', async () => {
      const state = new Map([['n', '1']]);
      const store = await start([{ key: 'alice', balance: answer('1'), state }, { key: 'bob' }]);
      const change = async (id: string | undefined) => {
        await store.change(id, { balance: answer('2'), variant: 'empty', scripts: [script()] });
        await store.writeState(
          id,
          new Map([
            ['n', '2'],
            ['m', '2'],
          ]),
        );
      };
      const [alice, bob] = [await idOf(store, 'alice'), await idOf(store, 'bob')];
      for (const id of [alice, bob, undefined]) await change(id);
      const { version } = await store.readState(alice);
      await store.reset(alice);
      const start1 = { balance: answer('1'), variant: undefined, scripts: [] };
      expect(await store.get(alice)).toMatchObject(start1);
      expect(shownState(await store.readState(alice))).toEqual({ n: '1', m: '2' });
      expect((await store.readState(alice)).version).not.toBe(version);
      expect(await store.get(bob)).toMatchObject({ variant: 'empty' });
      await store.add({ key: 'carol' });
      await store.reset(undefined);
      expect((await store.accounts()).map(({ key }) => key)).toEqual(['alice', 'bob']);
      const after = await idOf(store, 'bob');
      expect(await store.get(after)).toMatchObject({ ...start1, balance: undefined });
      expect(shownState(await store.readState(after))).toEqual({});
    });
  });
}

describeStore('in memory', async (configured) => new MemoryStore(configured));

describe.skipIf(!has('redis-server'))('outside of the process', () => {
  const server = forSuite((over) => startRedis(over));
  let count = 0;

  async function open(name: string, options: Partial<RedisStoreOptions> = {}): Promise<RedisStore> {
    const store = await RedisStore.open({
      url: server().url,
      name,
      ttl: 60_000,
      configured: KEYS,
      hasJournal: true,
      show: () => ({ time: 0, body: '' }),
      onKey: () => {},
      ...options,
    });
    onTestFinished(() => store.close(0));
    return store;
  }

  describeStore('on Valkey or Redis', (configured) => open(`mock-${++count}`, { configured }));

  it('tells the account and the entry that a record of another process has at its end', async () => {
    const redactor = new Redactor();
    const show = (record: JournalRecord) => shownWhole(record, redactor);
    const [one, other] = await Promise.all([open('late', { show }), open('late')]);
    const told: unknown[] = [];
    const tell = (record: JournalRecord) =>
      told.push([record.account, record.status, shown(record, redactor)]);
    other.follow({ ...NOBODY, began: tell, ended: tell });
    const record = newRequest({ method: 'GET', headers: { 'x-a': 'b' } });
    one.begin(record);
    await one.synced();
    await other.synced();
    Object.assign(record, { account: 'account-7', status: 200, durationMs: 5 });
    one.end(record);
    await one.synced();
    await other.synced();
    const entry = { id: 1, method: 'GET', headers: { 'x-a': 'b' } };
    expect(told).toMatchObject([
      [null, null, { ...entry, account: null, ended: false, duration: null }],
      ['account-7', 200, { ...entry, account: 'account-7', ended: true, duration: 5 }],
    ]);
  });

  it('tells the keys of new accounts before the next request is decided', async () => {
    const known: string[] = [];
    const [one, other] = await Promise.all([
      open('keys'),
      open('keys', { onKey: (key) => known.push(key) }),
    ]);
    await one.add({ key: 'carol' });
    // Its reader hears nothing of the account.
    await server().send('DEL', 'keys:events');
    await one.add({ key: 'dave' });
    await server().send('DEL', 'keys:events');
    known.length = 0;
    await other.decide('alice', BALANCE, false);
    expect(known).toEqual(['carol', 'dave']);
    await other.decide('alice', BALANCE, false);
    expect(known).toEqual(['carol', 'dave']);
  });
});
