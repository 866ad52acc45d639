import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { runs, times } from '../endurance/scale.ts';
import { AS_JSON, ask } from '../support/client.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import { MomoMockError, type MomoSnapshot } from '../support/momo-mock.ts';
import type { Webhook } from '../support/webhook.ts';
import {
  accountOf,
  asked,
  CONFIGURED,
  call,
  damage,
  damaged,
  expectSame,
  FILES,
  initial,
  look,
  play,
  type Step,
  startReceiver,
  steps,
  unfold,
} from './worlds.ts';

// To shrink a world that fails takes a minute or two, and without that nobody finds the cause.
vi.setConfig({ testTimeout: times(3_600_000, 600_000) });

const start = () => startMock(FILES, { control: true, apiKeys: CONFIGURED });

/** In process, or over HTTP. */
async function restore(mock: TestMock, json: string, isHttp: boolean): Promise<void> {
  const { leftOut } = isHttp
    ? JSON.parse(await asked(mock, 'PUT /snapshot', { body: json }))
    : await mock.restore(JSON.parse(json));
  expect(leftOut).toEqual([]);
}

/** A world, how it looked, its snapshot, and what became of it. */
async function played(mock: TestMock, receiver: Webhook, all: readonly Step[]) {
  await mock.reset();
  const world = await play(mock, receiver, all);
  const before = await look(mock, world.keys);
  const snapshot = await asked(mock, 'GET /snapshot');
  const isFrozen = (key: string) => before[world.keys.indexOf(key) + 1]?.clock.frozen === true;
  return { world, before, snapshot, isFrozen, was: await unfold(world, isFrozen) };
}

it.each([
  ['the same mock', false],
  ['another mock', true],
])('a snapshot restores any world in %s', async (_where, isOther) => {
  const receiver = await startReceiver();
  const mock = await start();
  const target = isOther ? await start() : mock;
  const property = fc.asyncProperty(steps, fc.boolean(), async (all, isHttp) => {
    const { world, before, snapshot, isFrozen, was } = await played(mock, receiver, all);
    const { keys } = world;
    await restore(target, snapshot, isHttp);
    expectSame(await look(target, keys), before);
    expect(await unfold({ ...world, mock: target }, isFrozen)).toEqual(was);
  });
  await fc.assert(property, runs(1000, 12));
});

it('a snapshot of an account restores it, and restores it in another account', async () => {
  const receiver = await startReceiver();
  const mock = await start();
  const given = [steps, initial, fc.nat(), fc.boolean(), fc.boolean()] as const;
  const property = fc.asyncProperty(...given, async (all, own, chosen, isHttp, isItself) => {
    await mock.reset();
    const world = await play(mock, receiver, all);
    const key = world.keys[chosen % world.keys.length] ?? '';
    const before = await look(mock, [key]);
    const whole = await asked(mock, 'GET /snapshot');
    const snapshot = await asked(mock, 'GET /snapshot', { key });
    const isFrozen = () => before[1]?.clock.frozen === true;
    const was = await unfold({ ...world, keys: [key], tokens: [] }, isFrozen);
    await restore(mock, whole, isHttp);
    const other = isItself ? key : 'another-account';
    const variant = world.created.get(key)?.variant;
    if (isItself) await asked(mock, 'POST /reset', { key });
    else await asked(mock, 'POST /accounts', { body: accountOf(other, { ...own, variant }) });
    await asked(mock, 'PUT /snapshot', { key: other, body: snapshot });
    expectSame((await look(mock, [key])).slice(1), before.slice(1));
    expectSame((await look(mock, [other])).slice(1), before.slice(1));
    // Both would send the same webhooks.
    if (!isItself) await asked(mock, 'POST /reset', { key });
    expect(await unfold({ ...world, keys: [other], tokens: [] }, isFrozen)).toEqual(was);
    const issued = JSON.stringify({ tokens: [{ expiresIn: 60 }] });
    const { text = '' } = await ask({ ...mock, apiKey: other }, '/momo/world', {
      method: 'POST',
      headers: AS_JSON,
      body: issued,
    });
    const [token] = JSON.parse(text).issued;
    await asked(mock, 'PUT /snapshot', { key: other, body: snapshot });
    for (const line of ['DELETE /responses', 'DELETE /rate-limit']) {
      await asked(mock, line, { key: other });
    }
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await ask({ ...mock, apiKey: other }, '/momo/claims', { headers });
    expect(status, 'its own token').toBe(200);
  });
  await fc.assert(property, runs(1000, 8));
});

const INVALID = /^MOMO_MOCK_(SNAPSHOT_INVALID|REQUEST_INVALID|TOO_LARGE)$/;

/** The code of the error with which a snapshot is refused; `undefined` if it is restored. */
async function refusal(
  mock: TestMock,
  { json, key, isHttp }: { json: string; key: string | undefined; isHttp: boolean },
): Promise<string | undefined> {
  if (isHttp || key !== undefined) {
    const { status, json: said, text } = await call(mock, 'PUT /snapshot', { key, body: json });
    return status < 300 ? undefined : ((said as Refused).error.code ?? text);
  }
  const result = await mock.restore(JSON.parse(json)).catch((error) => error);
  if (!(result instanceof Error)) return undefined;
  expect(result).toBeInstanceOf(MomoMockError);
  return (result as MomoMockError).code;
}

interface Refused {
  readonly error: { readonly code: string };
}

/** The number in the id of a new account. */
async function newId(mock: TestMock): Promise<number> {
  const { id, remove } = await mock.createAccount();
  await remove();
  return Number(id.replace('account-', ''));
}

it('a snapshot with a change at one place is restored, or refused and nothing changes', async () => {
  const receiver = await startReceiver();
  const mock = await start();
  const change = fc.record({ damage, account: fc.option(fc.nat()), isHttp: fc.boolean() });
  const changes = fc.array(change, { minLength: 1, maxLength: 16, size: 'max' });
  const property = fc.asyncProperty(steps, changes, async (all, each) => {
    const { world, before, snapshot, isFrozen, was } = await played(mock, receiver, all);
    const { keys } = world;
    await restore(mock, snapshot, true);
    for (const { damage, account, isHttp } of each) {
      const key = account === null ? undefined : keys[account % keys.length];
      const { changed, how } = damaged(await asked(mock, 'GET /snapshot', { key }), damage);
      const tryChanged = async () => {
        const id = await newId(mock);
        const sent = receiver.calls.length;
        const code = await refusal(mock, { json: changed, key, isHttp });
        if (code === undefined) {
          await expectUsable(mock);
          await mock.reset();
          await restore(mock, snapshot, true);
          return;
        }
        expect(code).toMatch(INVALID);
        expectSame(await look(mock, []), before);
        expect(await newId(mock)).toBe(id + 1);
        expect(receiver.calls.length).toBe(sent);
      };
      await tryChanged().catch((error: Error) => {
        throw new Error(`With ${how}: ${error.message}`, { cause: error });
      });
    }
    expectSame(await look(mock, keys), before);
    expect(await unfold(world, isFrozen)).toEqual(was);
  });
  await fc.assert(property, runs(500, 8));
});

/** What was restored is a world of its own. */
async function expectUsable(mock: TestMock): Promise<void> {
  await restore(mock, await asked(mock, 'GET /snapshot'), true);
  const lines = ['GET /state', 'GET /responses', 'GET /webhooks/script', 'GET /clock'];
  for (const key of [undefined, ...CONFIGURED]) {
    for (const line of lines) {
      const { status, text } = await call(mock, line, { key });
      expect(status, text).toBeLessThan(500);
    }
  }
}

/** A step in the life of two mocks with accounts. */
const idStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), at: fc.nat(1) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('remove' as const), at: fc.nat(1), which: fc.nat() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reset' as const), at: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('take' as const), at: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('restore' as const), at: fc.nat(1), which: fc.nat() }),
  },
);

type IdStep = typeof idStep extends fc.Arbitrary<infer Each> ? Each : never;

it('no mock gives the id of an account to another one, whatever it restores', async () => {
  const property = fc.asyncProperty(
    fc.array(idStep, { maxLength: 16, size: 'max' }),
    async (all) => {
      const ends: (() => void | Promise<void>)[] = [];
      const options = { apiKeys: ['one', 'two'], control: true };
      const open = () => startMock({}, options, (end) => void ends.unshift(end));
      const mocks = [await open(), await open()];
      try {
        await live(mocks, all);
      } finally {
        for (const end of ends) await end();
      }
    },
  );
  await fc.assert(property, runs(2000, 20));
});

/** Ids and keys of accounts. A key belongs to one account only. */
type Ids = readonly (readonly [id: string, key: string])[];

async function idsOf(mock: TestMock): Promise<Ids> {
  const { accounts = [] } = await mock.snapshot();
  return accounts.map(({ id, key, keyHash }) => [id, key ?? `${keyHash}`] as const);
}

async function live(mocks: readonly TestMock[], all: readonly IdStep[]): Promise<void> {
  /** The keys of the accounts that had an id, for each mock. */
  const given = await Promise.all(mocks.map(async (mock) => new Map(await idsOf(mock))));
  const taken: { readonly snapshot: MomoSnapshot; readonly at: number; readonly ids: Ids }[] = [];
  for (const [index, each] of all.entries()) {
    const mock = mocks[each.at] as TestMock;
    const had = given[each.at] as Map<string, string>;
    let kept: Ids = [];
    if (each.do === 'create') {
      const { id } = await mock.createAccount({ apiKey: `created-${index}` });
      expect([...had.keys()]).not.toContain(id);
    } else if (each.do === 'remove') {
      const there = (await idsOf(mock)).filter(([, key]) => key.startsWith('created'));
      const [, key = ''] = there[each.which % there.length] ?? [];
      if (key !== '') await asked(mock, 'DELETE /accounts', { key });
    } else if (each.do === 'reset') {
      await mock.reset();
    } else if (each.do === 'take') {
      taken.push({ snapshot: await mock.snapshot(), at: each.at, ids: await idsOf(mock) });
    } else {
      const one = taken[each.which % taken.length];
      if (one === undefined) continue;
      await mock.restore(one.snapshot);
      // Of another mock, only those that this one never had are certain.
      kept = one.ids.filter(([id]) => one.at === each.at || !had.has(id));
    }
    const ids = await idsOf(mock);
    expect(ids).toEqual(expect.arrayContaining([...kept]));
    for (const [id, key] of ids) {
      expect(had.get(id) ?? key, `the key of ${id}`).toBe(key);
      had.set(id, key);
    }
  }
}
