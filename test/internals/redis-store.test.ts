import { expect, it, onTestFinished } from 'vitest';
import { type LocalRecord, RequestRecord } from '../../src/mock/journal/record.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';
import { readScript } from '../../src/mock/scripted-response.ts';
import { MemoryStore } from '../../src/mock/store/memory-store.ts';
import type { NewAccount, ScopeId, Store } from '../../src/mock/store/store.ts';
import { RedisStore, type RedisStoreOptions } from '../../src/redis-store/redis-store.ts';
import { isLong, SEED, times } from '../endurance/scale.ts';
import { describeUnless, missing } from '../support/machine.ts';
import { forSuite } from '../support/mock.ts';
import { type Random, random } from '../support/random.ts';
import { startRedis } from '../support/redis-server.ts';
import { journals, storeListener } from '../support/store-listener.ts';
import { storeProxy } from '../support/store-proxy.ts';

const BALANCE = 'GET /momo/balance';
const KEYS: NewAccount[] = [{ key: 'alice' }, { key: 'bob', variant: 'empty' }];
const SHOWN = { time: 0, body: 'x'.repeat(500) };

/** A random call, and its result without what differs in each store. */
async function call(
  store: Store,
  { below, of, weighted }: Random,
  frozenAt: number,
): Promise<unknown> {
  const scope: ScopeId = of(undefined, 'account-1', 'account-2', 'account-4');
  const key = of('alice', 'bob', 'carol', 'dave', 'wrong');
  const script = () =>
    readScript({
      ...{ status: of(503, 504), times: of(1, 2, 3, 'always') },
      delay: { min: 0, max: 9, seed: below(3) },
    });
  const calls: [weight: number, run: () => unknown][] = [
    [
      20,
      async () => {
        const { account, script, exceeded } = await store.take(key, BALANCE, below(8) === 0);
        return [
          account?.id,
          account?.balance?.body.toString(),
          script?.status,
          script?.delay(),
          exceeded !== undefined,
        ];
      },
    ],
    [4, () => store.change(scope, { more: [script(), script()].slice(below(2)) })],
    [1, () => store.change(scope, { scripts: [script()] })],
    [1, () => store.change(scope, { without: below(4) })],
    [3, () => store.change(scope, { variant: of('empty', null) })],
    [2, () => store.change(scope, { rateLimit: of({ limit: 3, window: 86_400_000 }, null) })],
    [
      3,
      () => {
        const balance = {
          status: 200,
          headers: {},
          body: Buffer.from(`é${below(9)}\xff`, 'latin1'),
        };
        return store.change(scope, { balance: of(balance, null) });
      },
    ],
    [2, () => store.change(scope, { callbacks: [{ delay: below(9) }, {}] })],
    [3, () => store.takeCallback(scope)],
    [
      8,
      async () => {
        const { version } = await store.readState(scope);
        const value = of(undefined, null, `${below(9)}`, '"\\ud800"');
        const changes = new Map([[of('a', 'b', 'c\ud800'), value]]);
        const given = of(undefined, version, 'old');
        return (await store.writeState(scope, changes, given)) !== undefined;
      },
    ],
    [4, async () => (await store.readState(scope)).layers.map((layer) => [...layer].sort())],
    [2, async () => (await store.add({ key, state: new Map([['a', '1']]) })).id],
    [
      1,
      async () => {
        const account = await store.find(key);
        if (account !== undefined) await store.remove(account);
        return account?.id;
      },
    ],
    [2, async () => (await store.accounts()).map(({ id, key }) => [id, key])],
    [
      2,
      async () => {
        const { scripts, callbacks, variant } = await store.get(scope);
        return [scripts.map(({ left, status }) => [left, status]), callbacks, variant];
      },
    ],
    [2, () => store.freeze(scope, of(true, false), frozenAt + below(100))],
    [2, () => store.advance(scope, below(100))],
    [1, async () => store.clock(scope)],
    [1, () => store.reset(of(scope, scope, undefined))],
    [1, () => store.empty(of('requests', 'callbacks'), scope)],
    [
      6,
      () => {
        const record = new RequestRecord({ method: 'GET', headers: { a: `${below(9)}` } });
        store.begin(record);
        record.account = of(null, 'account-1');
        if (below(9) > 0) store.end(record);
      },
    ],
  ];
  try {
    return await weighted(calls)();
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
}

/** Counts ids of accounts as a store outside of the process does. */
class SharedMemoryStore extends MemoryStore {
  protected override readonly countsAnew = false;
}

describeUnless(missing('redis-server'), 'a store on Valkey or Redis', () => {
  const server = forSuite((over) => startRedis(over));
  let names = 0;

  async function open(options: Partial<RedisStoreOptions> = {}, kept = storeListener()) {
    const store = new RedisStore({
      ...{ url: server().url, name: `internal-${++names}`, ttl: 60_000, configured: KEYS },
      ...{
        journal: { size: 10_000, bytes: Infinity },
        patience: 30_000,
        show: () => SHOWN,
      },
      ...options,
    });
    store.listen(kept);
    onTestFinished(() => store.close(0));
    await store.open();
    return store;
  }

  it('gives the same results as memory for random calls, also with pauses', async () => {
    const memory = new SharedMemoryStore(KEYS);
    memory.listen(storeListener());
    const proxy = await storeProxy(server().url, onTestFinished);
    const store = await open({ url: proxy.url });
    const [one, other] = [random(SEED), random(SEED)];
    const pauses = random(SEED + 1);
    for (let n = 0; n < times(25_000, 2500); n++) {
      const isPaused = pauses.below(100) === 0;
      if (isPaused) proxy.stall(pauses.of('events', undefined));
      const called = call(store, other, n);
      if (isPaused) setImmediate(() => proxy.mend());
      expect([n, await called]).toEqual([n, await call(memory, one, n)]);
    }
    await store.synced();
    const seen = ({ memory }: MemoryStore) =>
      memory.snapshot()[0]?.replace(/"processes":.*"newest"/, '');
    // Moments, which pass between the two.
    const moments = /\b\d{13}\b/g;
    expect(seen(store)?.replace(moments, '')).toBe(seen(memory)?.replace(moments, ''));
  });

  it('writes no secret that another process got before a request arrived', async () => {
    const name = `secrets-${++names}`;
    const redactor = new Redactor();
    const show = (record: LocalRecord) => record.details(redactor);
    const learned = (secret: string) => redactor.remember(secret);
    const one = await open({ name });
    const other = await open({ name, show }, storeListener({ learned }));
    for (let n = 0; n < 20; n++) {
      const key = `canary-${n}-key`;
      await one.add({ key });
      other.begin(new RequestRecord({ method: 'GET', headers: { 'x-note': key } }));
      await other.synced();
    }
    const events = JSON.stringify(await server().send('XRANGE', `${name}:events`, '-', '+'));
    const notes = events.match(/x-note\W+(redacted|canary-\d+)/g);
    expect(notes?.filter((note) => note.includes('canary'))).toEqual([]);
    expect(notes).toHaveLength(20);
  });

  it('keeps no more events than two snapshots are apart, whatever is in the journals', async () => {
    const name = `bounded-${++names}`;
    const store = await open({ name }, storeListener({ journals: journals(100) }));
    const attempt = new RequestRecord({ method: 'GET', headers: {} });
    for (let n = 0; n < 4000; n++) {
      const record =
        n === 0
          ? Object.assign(attempt, { kind: 'callbacks' })
          : new RequestRecord({ method: 'GET', headers: {} });
      if (n > 0) store.begin(record);
      if (n > 0) store.end(record);
      if (n % 2 === 0) await store.synced();
    }
    await expect
      .poll(async () => Number(await server().send('XLEN', `${name}:events`)))
      .toBeLessThan(1500);
    // The last record may still wait to be written.
    await store.synced();
    const later = await open({ name }, storeListener({ journals: journals(100) }));
    await later.synced();
    expect(later.memory.snapshot()[0]).toContain('"newest":{"requests":3999,"callbacks":0}');
  });

  it('removes accounts that nobody uses, and nothing of the service', async () => {
    const name = `unused-${++names}`;
    const store = await open({ name, ttl: 3000 });
    const other = await open({ name, ttl: 3000 });
    await store.change(undefined, {
      variant: 'empty',
      more: [readScript({ status: 503, operation: 'GET /x' })],
    });
    await store.writeState(undefined, new Map([['n', '1']]));
    for (const key of ['used', 'unused']) await store.add({ key });
    const keys = async () => {
      await other.take('used', BALANCE, false);
      return (await store.accounts()).map(({ key }) => key);
    };
    await expect.poll(keys, { interval: 100 }).toEqual(['alice', 'bob', 'used']);
    expect(await other.get(undefined)).toMatchObject({
      variant: 'empty',
      scripts: [{ status: 503 }],
    });
    expect((await other.readState(undefined)).layers[0]?.get('n')).toBe('1');
  });

  it('is ready soon with 10,000 accounts and a full journal', async () => {
    const name = `large-${++names}`;
    const show = () => ({ time: 0, body: 'x'.repeat(1600) });
    const kept = () => storeListener({ journals: journals(10_000) });
    const store = await open({ name, show }, kept());
    for (let n = 0; n < 10_000; n += 500) {
      const some = Array.from({ length: 500 }, (_, at) => store.add({ key: `key-${n + at}` }));
      await Promise.all(some);
    }
    for (let n = 0; n < 12_000; n++) {
      const record = new RequestRecord({ method: 'GET', headers: {} });
      store.begin(record);
      store.end(record);
      if (n % 500 === 0) await store.synced();
    }
    await store.synced();
    const began = performance.now();
    const later = await open({ name, show }, kept());
    const ms = performance.now() - began;
    await later.synced();
    expect(await later.accounts()).toHaveLength(10_002);
    expect([later.memory.snapshot().length]).toEqual([store.memory.snapshot().length]);
    if (isLong) process.stdout.write(`ready after ${Math.round(ms)} ms\n`);
    // A second on a machine that does nothing else.
    expect(ms).toBeLessThan(100_000);
  });

  it('writes what has waited in parts, however long it is', async () => {
    const proxy = await storeProxy(server().url, onTestFinished);
    const name = `long-${++names}`;
    const show = () => ({ body: 'x'.repeat(100_000) });
    const store = await open({ url: proxy.url, name, show });
    proxy.cut();
    for (let n = 0; n < 100; n++) {
      const record = new RequestRecord({ method: 'GET', headers: {} });
      store.begin(record);
      if (n % 2 === 0) store.end(record);
    }
    await expect(store.synced()).rejects.toMatchObject({ code: 'MOMO_MOCK_STORE_UNAVAILABLE' });
    proxy.mend();
    await expect
      .poll(() =>
        store.synced()?.then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const kept = storeListener();
    const other = await open({ name }, kept);
    const all = [...kept.journals.requests.all];
    expect(all.map(({ id, ended }) => [id, ended])).toEqual(
      Array.from({ length: 100 }, (_, n) => [n + 1, n % 2 === 0]),
    );
    const events = (await server().send('XRANGE', `${name}:events`, '-', '+')) as [
      string,
      string[],
    ][];
    const lengths = events.map(([, fields]) => fields.join('').length);
    expect(Math.max(...lengths)).toBeLessThan(1_300_000);
    await other.synced();
  });

  it.each([
    ['records', { size: 100, bytes: Infinity }, 100],
    ['bytes', { size: 10_000, bytes: 50_000 }, 49],
  ])(
    'keeps no more until the store is back than a journal may have: %s',
    async (_what, journal, left) => {
      const proxy = await storeProxy(server().url, onTestFinished);
      const kept = storeListener();
      const store = await open({ url: proxy.url, journal }, kept);
      proxy.cut();
      for (let n = 0; n < 500; n++) {
        const record = new RequestRecord({ method: 'POST', headers: { 'x-n': 'n' } });
        store.begin(record);
        record.body = Buffer.alloc(1000);
        store.end(record);
      }
      proxy.mend();
      await expect.poll(() => kept.journals.requests.dropped).toBe(500 - left);
      await store.synced();
      expect([...kept.journals.requests.all]).toHaveLength(left);
    },
  );

  it('counts for the journal what it keeps of a record, with its response', async () => {
    const kept = storeListener();
    const show = () => ({ response: { body: 'x'.repeat(20_000) } });
    const store = await open({ show }, kept);
    const record = new RequestRecord({ method: 'GET', headers: {} });
    store.begin(record);
    store.end(record);
    await store.synced();
    const [stored] = kept.journals.requests.all;
    expect(stored?.bytes).toBeGreaterThan(20_000);
  });

  it('counts what it could not keep until the store was back', async () => {
    const proxy = await storeProxy(server().url, onTestFinished);
    const kept = storeListener();
    const store = await open({ url: proxy.url }, kept);
    proxy.cut();
    for (let n = 0; n < 5010; n++) {
      const record = new RequestRecord({ method: 'GET', headers: {} });
      store.begin(record);
      store.end(record);
    }
    await expect(store.synced()).rejects.toMatchObject({ code: 'MOMO_MOCK_STORE_UNAVAILABLE' });
    proxy.mend();
    await expect.poll(() => kept.journals.requests.dropped).toBe(10);
    await store.synced();
    expect([...kept.journals.requests.all]).toHaveLength(5000);
  });
});
