import { describe, expect, it, onTestFinished } from 'vitest';
import { AttemptRecord, type LocalRecord, RequestRecord } from '../../src/mock/journal/record.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';
import { readScript, type ScriptedResponse } from '../../src/mock/scripted-response.ts';
import { MemoryStore } from '../../src/mock/store/memory-store.ts';
import {
  type NewAccount,
  RESET,
  type StateRead,
  type Store,
  type StoreListener,
} from '../../src/mock/store/store.ts';
import { RedisStore, type RedisStoreOptions } from '../../src/redis-store/redis-store.ts';
import { describeUnless, missing } from '../support/machine.ts';
import { forSuite } from '../support/mock.ts';
import { startRedis } from '../support/redis-server.ts';
import { storeListener } from '../support/store-listener.ts';

const BALANCE = 'GET /momo/balance';
const KEYS: NewAccount[] = [{ key: 'alice' }, { key: 'bob', variant: 'empty' }];

const answer = (text: string) => ({ status: 200, headers: {}, body: Buffer.from(text) });

const script = (given: ScriptedResponse = {}) => readScript({ status: 503, ...given });

/** What a state shows, the first layer above the others. */
const shownState = ({ layers }: StateRead) =>
  Object.fromEntries(layers.toReversed().flatMap((layer) => [...layer]));

/** What each store must do, whatever is behind it. */
function describeStore(
  name: string,
  start: (configured: NewAccount[], kept?: StoreListener) => Promise<Store>,
): void {
  describe(name, () => {
    const idOf = async (store: Store, key: string) => (await store.find(key))?.id;

    it('finds the account of a key, and nothing else', async () => {
      const store = await start(KEYS);
      const decided = await store.take('bob', BALANCE, false);
      const account = { id: 'account-2', key: 'bob', initialVariant: 'empty' };
      expect(decided).toMatchObject({ account, service: {}, script: undefined });
      for (const key of ['carol', '', 'account-2', undefined]) {
        const { account } = await store.take(key, BALANCE, false);
        expect(account).toBeUndefined();
      }
      expect((await store.accounts()).map(({ key }) => key)).toEqual(['alice', 'bob']);
    });

    it('gives a scripted response exactly as often as it says, to whoever asks', async () => {
      const store = await start(KEYS);
      await store.change(undefined, { scripts: [script({ times: 1000 })] });
      const asked = Array.from({ length: 3000 }, async (_, n) =>
        store.take(n % 2 ? 'alice' : 'bob', BALANCE, false),
      );
      const given = (await Promise.all(asked)).filter((one) => one.script !== undefined);
      expect(given).toHaveLength(1000);
      expect((await store.get(undefined)).scripts).toEqual([]);
    });

    it('counts the requests of each account, and takes nothing for one above the limit', async () => {
      const store = await start(KEYS);
      const { id } = (await store.find('alice')) ?? {};
      await store.change(undefined, { rateLimit: { limit: 2, window: 1000 }, scripts: [script()] });
      await store.freeze(undefined, true, 5000);
      await store.freeze(id, true, 5000);
      await store.advance(id, 2000);
      const ask = async (key: string) => {
        const { exceeded, script } = await store.take(key, BALANCE, false);
        return exceeded ?? (script === undefined ? 'nothing' : 'script');
      };
      await store.take('alice', BALANCE, true);
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
      await store.advance(id, 999);
      expect(await ask('alice')).toEqual({ limit: 2, window: 1000, reset: 1 });
      await store.advance(id, 1);
      expect([await ask('alice'), await ask('alice')]).toEqual(['nothing', 'nothing']);
      expect(await ask('alice')).toMatchObject({ reset: 1000 });
      await store.change(id, { rateLimit: { limit: 1, window: 500 } });
      expect(await store.get(id)).toMatchObject({ rateLimit: { limit: 1, window: 500 } });
      expect([await ask('alice'), await ask('alice')]).toMatchObject(['nothing', { window: 500 }]);
      await store.change(id, { rateLimit: { limit: 1, window: 500 } });
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
        isOpen = false,
      ) => (await store.take(key, operation, isRefused, isOpen)).script?.status;
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
      await store.change(undefined, { scripts: [of(506), of(507), of(508)] });
      expect([
        await take('wrong', BALANCE),
        await take('wrong', BALANCE, true, true),
        await take('wrong', BALANCE, false, true),
        await take(undefined, BALANCE, false, true),
        await take('bob', BALANCE, false, true),
        await take(undefined, BALANCE, false, true),
      ]).toEqual([undefined, undefined, 506, 507, 508, undefined]);
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
      expect((await store.take('carol', BALANCE, false)).account).toBeUndefined();
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

    it('tells what is emptied and changes, and counts the records of each journal', async () => {
      const told: unknown[] = [];
      const kept = storeListener({
        ended: ({ kind, ended }) => told.push(`${kind} ${ended}`),
        changed: (change) => told.push(change),
        reset: (scope) => told.push(`reset ${scope}`),
        removed: (id) => told.push(`removed ${id}`),
      });
      const store = await start(KEYS, kept);
      const ids = async () => {
        await store.synced();
        const { requests, callbacks } = kept.journals;
        return [[...requests.all], [...callbacks.all]].map((all) =>
          all.map(({ id, ended }) => [id, ended]),
        );
      };
      told.splice(0);
      const [first, second] = [1, 2].map(() => new RequestRecord({ method: 'GET', headers: {} }));
      const callback = {
        url: 'http://localhost/',
        method: 'POST',
        headers: {},
        body: Buffer.alloc(0),
      };
      const sent = { ...callback, id: '', delay: 0, retry: [], timeout: 0, accepts: () => true };
      const timers = { now: () => 0, after: () => () => {} };
      const attempt = new AttemptRecord(sent, {
        time: 0,
        account: 'account-1',
        timers,
        attempt: 1,
      });
      for (const record of [first, second, attempt]) if (record !== undefined) store.begin(record);
      expect(await ids()).toEqual([
        [
          [1, false],
          [2, false],
        ],
        [[1, false]],
      ]);
      store.end(attempt);
      expect(await ids()).toMatchObject([{}, [[1, true]]]);
      expect(attempt.id).toBe(1);
      await store.empty('callbacks', 'account-2');
      await store.empty('requests', undefined);
      expect(await ids()).toEqual([[], [[1, true]]]);
      await store.empty('callbacks', 'account-1');
      expect(await ids()).toEqual([[], []]);
      await store.change(undefined, { balance: null, more: [script()], callbacks: [] });
      await store.change(undefined, { without: 1 });
      const carol = await store.add({ key: 'carol' });
      await store.remove(carol);
      await store.writeState(undefined, new Map([['n', '1']]));
      await store.writeState(undefined, new Map([['n', '1']]));
      expect(told).toEqual([
        ...['callbacks true', 'callbacks', 'requests', 'callbacks'],
        ...['callbacks', 'balance', 'responses'],
        ...['accounts', 'removed account-3', 'accounts', 'state'],
      ]);
      told.splice(0);
      store.begin(new RequestRecord({ method: 'GET', headers: {} }));
      await store.synced();
      await store.reset(undefined);
      expect(told).toEqual(['reset undefined', ...RESET]);
      expect(await ids()).toEqual([[], []]);
    });

    it('keeps where each clock is until a reset', async () => {
      const store = await start(KEYS);
      await store.freeze('account-1', true, 7000);
      expect(store.clock('account-1')).toEqual({ offset: 0, stands: 7000 });
      for (const id of [undefined, 'account-2', 'account-3']) {
        expect(store.clock(id)).toEqual({ offset: 0 });
      }
      expect(await store.advance('account-1', 500)).toBe(0);
      await store.freeze('account-1', false, 9000);
      expect(store.clock('account-1')).toEqual({ offset: -1500 });
      await store.freeze(undefined, true, 9000);
      await store.freeze('account-2', true, 9000);
      await store.advance(undefined, 100);
      expect([undefined, 'account-1', 'account-2'].map((id) => store.clock(id))).toEqual([
        { offset: 0, stands: 9100 },
        { offset: -1500 },
        { offset: 0, stands: 9100 },
      ]);
      await store.reset('account-1');
      expect(store.clock('account-1')).toEqual({ offset: 0 });
      await store.advance('account-7', 1);
    });

    it('adds up what is advanced at once, and says why a process stopped earlier', async () => {
      const failures: (string | undefined)[] = [undefined, 'it is stuck'];
      const kept = storeListener({
        advance: async (_, by) => ({ ms: Number(by) / 2, failure: failures.pop() }),
      });
      const store = await start(KEYS, kept);
      await store.freeze(undefined, true, 0);
      await expect(store.advance(undefined, 1000)).rejects.toMatchObject({
        code: 'MOMO_MOCK_TIMER_FAILED',
        message: 'Failed to advance the clock: it is stuck',
      });
      await Promise.all(Array.from({ length: 10 }, () => store.advance(undefined, 1000)));
      expect(store.clock(undefined).stands).toBe(5500);
    });

    it('draws the delays of a seed in their order, whoever takes them', async () => {
      const store = await start(KEYS);
      for (const delay of [
        { min: 0, max: 1000, seed: 7 },
        { median: 100, sigma: 1, seed: 7 },
      ]) {
        await store.change(undefined, { scripts: [script({ delay, times: 'always' })] });
        const taken = [];
        for (const key of ['alice', 'bob', 'alice', 'bob']) {
          taken.push((await store.take(key, BALANCE, false)).script?.delay());
        }
        const expected = script({ delay });
        expect(taken).toEqual([1, 2, 3, 4].map(() => expected.delay()));
      }
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

describeStore('in memory', async (configured, kept = storeListener()) => {
  const store = new MemoryStore(configured);
  store.listen(kept);
  return store;
});

describeUnless(missing('redis-server'), 'outside of the process', () => {
  const server = forSuite((over) => startRedis(over));
  let count = 0;

  async function open(
    name: string,
    options: Partial<RedisStoreOptions> = {},
    kept = storeListener(),
  ): Promise<RedisStore> {
    const store = new RedisStore({
      url: server().url,
      name,
      ttl: 60_000,
      configured: KEYS,
      journal: { size: 10_000, bytes: Infinity },
      patience: 30_000,
      show: () => ({ time: 0, body: '' }),
      ...options,
    });
    store.listen(kept);
    onTestFinished(() => store.close(0));
    await store.open();
    return store;
  }

  describeStore('on Valkey or Redis', (configured, kept) =>
    open(`mock-${++count}`, { configured }, kept),
  );

  it('tells the account and the entry that a record of another process has at its end', async () => {
    const redactor = new Redactor();
    const show = (record: LocalRecord) => record.details(redactor);
    const kept = storeListener();
    const [one, other] = [await open('late', { show }), await open('late', {}, kept)];
    const seen = async () => {
      await one.synced();
      await other.synced();
      return [...kept.journals.requests.all].map((record) => [
        record.account,
        record.entry(redactor),
      ]);
    };
    const record = new RequestRecord({ method: 'GET', headers: { 'x-a': 'b' } });
    one.begin(record);
    const entry = { id: 1, method: 'GET', headers: { 'x-a': 'b' } };
    expect(await seen()).toMatchObject([
      [null, { ...entry, account: null, status: null, ended: false, duration: null }],
    ]);
    record.account = 'account-7';
    one.note(record);
    expect(await seen()).toMatchObject([['account-7', { account: 'account-7', ended: false }]]);
    Object.assign(record, { status: 200, durationMs: 5 });
    one.end(record);
    expect(await seen()).toMatchObject([
      ['account-7', { ...entry, account: 'account-7', status: 200, ended: true, duration: 5 }],
    ]);
  });

  it('tells the keys of new accounts before the next request is decided', async () => {
    const known: string[] = [];
    const [one, other] = [
      await open('keys'),
      await open('keys', {}, storeListener({ learned: (key) => known.push(key) })),
    ];
    expect(known).toEqual(['alice', 'bob']);
    await one.add({ key: 'carol' });
    await other.take('alice', BALANCE, false);
    expect(known).toEqual(['alice', 'bob', 'carol']);
  });
});
