import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';
import type { HandlerContext, MomoAccount } from '../support/momo-mock.ts';

const HOUR = 3_600_000;

/** What sets timers in a test. */
interface Timers {
  readonly set: HandlerContext['after'];
  /** Makes a function that notes that it ran, and the time since the first timer was set. */
  note(name: string): () => void;
}

/** A mock whose clock stands still, what its timers note, and what sets them in a handler. */
async function startFrozen() {
  const mock = await startMock();
  await mock.freeze();
  const ran: string[] = [];
  let start: number | undefined;
  const within = async (
    work: (timers: Timers) => unknown,
    of: Pick<MomoAccount, 'url' | 'ca' | 'apiKey'> = mock,
  ) => {
    await mock.handle('GET /set', (_request, { after, now }) => {
      start ??= now();
      const began = start;
      work({ set: after, note: (name) => () => void ran.push(`${name}@${now() - began}`) });
      return undefined;
    });
    expect((await ask(of, '/set')).status).toBe(200);
  };
  return { mock, ran, within };
}

describe('advance', () => {
  it('runs due timers in order, each at its due time, and then moves on to the end', async () => {
    const { mock, ran, within } = await startFrozen();
    await within(({ set, note }) => {
      set(2000, note('b'));
      set(1000, () => {
        note('a')();
        set(500, note('of a'));
        set(5000, note('never'));
      });
      set(2000, note('c'));
      set(3001, note('later'));
      set(0, note('due'));
    });
    await mock.advance(0);
    expect(ran).toEqual(['due@0']);
    await mock.advance(3000);
    expect(ran.slice(1)).toEqual(['a@1000', 'of a@1500', 'b@2000', 'c@2000']);
    await mock.advance(1);
    expect(ran.slice(5)).toEqual(['later@3001']);
  });

  it('waits for the promises of the timers, and for the timers that they set', async () => {
    const { mock, ran, within } = await startFrozen();
    await within(({ set, note }) => {
      set(1000, async () => {
        for (let turn = 0; turn < 5; turn++) await nextTurn();
        note('responded')();
        set(1000, note('retry'));
      });
      const detached = async () => {
        for (let turn = 0; turn < 50; turn++) await null;
        set(0, note('detached'));
      };
      set(1500, () => void detached());
      set(1600, note('later'));
    });
    await mock.advance(2000);
    expect(ran).toEqual(['responded@1000', 'detached@1500', 'later@1600', 'retry@2000']);
  });

  it('with idle runs until nothing is pending, and moves no further', async () => {
    const { mock, ran, within } = await startFrozen();
    await mock.advance('idle');
    await within(({ set, note }) => set(HOUR, () => set(HOUR, note('end'))));
    await mock.advance('idle');
    await within(({ note }) => note('now')());
    expect(ran).toEqual([`end@${2 * HOUR}`, `now@${2 * HOUR}`]);
  });

  it('runs simultaneous calls one after the other', async () => {
    const { mock, ran, within } = await startFrozen();
    const account = await mock.createAccount();
    await within(({ set, note }) => {
      set(1000, async () => {
        await nextTurn();
        note('a')();
      });
      set(2000, note('b'));
    }, account);
    await Promise.all([account.advance(1000), mock.advance(500), account.advance(500)]);
    expect(ran).toEqual(['a@1000', 'b@2000']);
  });

  it('fails for timers that never come to an end, and can continue', async () => {
    const { mock, ran, within } = await startFrozen();
    let isEndless = true;
    await within(({ set, note }) => {
      const again = () => {
        if (!isEndless) note('end')();
        else for (let n = 0; n < 1000; n++) set(0, n === 0 ? again : () => {});
      };
      set(0, again);
    });
    await expect(mock.advance('idle')).rejects.toMatchObject({
      code: 'MOMO_MOCK_TIMER_FAILED',
      message:
        'Failed to advance the clock: 100,000 timers ran, and more are due. Advance by less time, or correct a timer that sets itself again.',
    });
    isEndless = false;
    await mock.advance('idle');
    expect(ran).toEqual(['end@0']);
  });

  it.each(['account', 'service'] as const)(
    'ends with a reset of the %s, even if a promise never settles',
    async (of) => {
      const { mock, ran, within } = await startFrozen();
      const scope = of === 'account' ? await mock.createAccount() : mock;
      let fail = (_error: Error) => {};
      await within(({ set, note }) => {
        set(1, () => new Promise((_resolve, reject) => (fail = reject)));
        set(2, note('dropped'));
        set(0, note('runs'));
      }, scope);
      const advances = [scope.advance('idle'), mock.advance(1)];
      while (ran.length === 0) await nextTurn();
      await nextTurn();
      await scope.reset();
      await Promise.all(advances);
      fail(new Error('too late'));
      await mock.advance('idle');
      expect(ran).toEqual(['runs@0']);
    },
  );
});

describe('freeze', () => {
  it('of all accounts also freezes later accounts, and each can be moved', async () => {
    const { mock, ran, within } = await startFrozen();
    const account = await mock.createAccount();
    await account.unfreeze();
    await within(({ set, note }) => set(0, note('due')), account);
    // Were the clock running, this would be long past.
    await ask(mock);
    await nextTurn();
    expect(ran).toEqual([]);
    await account.advance(0);
    expect(ran).toEqual(['due@0']);
  });

  it('of an account lets the clocks of the others run', async () => {
    const { mock, ran, within } = await startFrozen();
    const [frozen, other] = [await mock.createAccount(), await mock.createAccount()];
    await frozen.freeze();
    await mock.unfreeze();
    for (const account of [frozen, other]) {
      await within(
        ({ set, note }) => set(0, note(account === frozen ? 'frozen' : 'other')),
        account,
      );
    }
    await expect.poll(() => ran).toEqual([expect.stringContaining('other@')]);
    // It is moved by the clock of all accounts, too.
    await mock.advance(HOUR);
    expect(ran[1]).toMatch(/^frozen@/);
  });
});

it.each([-1, Number.NaN, Infinity, 3_153_600_000_001, '1' as never, undefined as never])(
  'a handler cannot set a timer in %s ms',
  async (ms) => {
    const { mock, within } = await startFrozen();
    const refused: unknown[] = [];
    await within(({ set }) => {
      for (const [time, act] of [
        [ms, () => {}],
        [1, 'act' as never],
      ] as const) {
        try {
          set(time, act);
        } catch (error) {
          refused.push(error);
        }
      }
    });
    const code = 'MOMO_MOCK_REQUEST_INVALID';
    const range =
      'Failed to read the time of after: must be a number of ms from 0 to 3153600000000.';
    expect(refused).toMatchObject([
      { code, message: range },
      { code, message: expect.stringContaining('must be a function') },
    ]);
    await mock.advance('idle');
  },
);
