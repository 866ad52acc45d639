import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../src/mock/clock/clock.ts';
import { AccountClock, ClockOfAll } from '../../src/mock/clock/clock-of-all.ts';
import { runs } from '../endurance/scale.ts';

vi.mock('../../src/timers.ts', () => import('../support/fakeable-timers.ts'));

const NOW = Date.parse('2026-11-22T12:00:00Z');
const HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The clocks of a service and of two accounts, and what happened. */
function clocks(place?: string) {
  const errors: unknown[] = [];
  /** What ran: names, with the time by the clock since the start. */
  const ran: string[] = [];
  const seen = { changes: 0 };
  const events = {
    maxTimerMs: HOUR,
    onChange: () => void seen.changes++,
    onError: (error: unknown) => {
      errors.push(error);
      return { place, cause: 'it threw a TypeError' };
    },
  };
  const service = new ClockOfAll(events);
  const [account, other] = [new AccountClock(events, service), new AccountClock(events, service)];
  const note = (name: string) => () => void ran.push(`${name}@${account.now() - NOW}`);
  return { service, account, other, errors, ran, note, seen };
}

describe('a clock that is not moved', () => {
  it('shows its due time to a timer that runs late, and starts late timers in order', async () => {
    const { account, note, ran } = clocks();
    account.after(1000, () => {
      // The event loop is busy.
      vi.advanceTimersByTime(500);
      note('busy')();
    });
    account.after(1300, note('c'));
    account.after(1200, () => {
      note('b')();
      account.after(500, note('of b'));
    });
    await vi.advanceTimersByTimeAsync(1001);
    expect(ran).toEqual(['busy@1000', 'b@1200', 'c@1300']);
    await vi.advanceTimersByTimeAsync(200);
    expect(ran.slice(3)).toEqual(['of b@1700']);
  });

  it('runs a timer that is due in years, once', async () => {
    const { account, note, ran } = clocks();
    const years = 3 * 365 * 24 * HOUR;
    account.after(years, note('far'));
    await vi.advanceTimersByTimeAsync(years - 1);
    expect(ran).toEqual([]);
    await vi.advanceTimersByTimeAsync(years);
    expect(ran).toEqual([`far@${years}`]);
  });

  it.each([-HOUR, HOUR])(
    'keeps the delays of timers when the system clock is moved by %i ms',
    async (by) => {
      const { account, note, ran } = clocks();
      account.after(1000, note('a'));
      vi.setSystemTime(NOW + by);
      await vi.advanceTimersByTimeAsync(999);
      expect(ran).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(ran).toEqual(['a@1000']);
      // Without a timer, it has the time of the system again.
      expect(account.now()).toBe(NOW + by + 1000);
    },
  );

  it('lets others run between timers that set themselves again', async () => {
    const { account } = clocks();
    let ran = 0;
    const again = () => {
      ran++;
      account.after(0, again);
    };
    again();
    await vi.advanceTimersByTimeAsync(10);
    expect(ran).toBeLessThan(20);
  });

  it('continues from where it was moved or frozen, also by the clock of all accounts', async () => {
    const { service, account, note, ran } = clocks();
    await account.advance(1000);
    account.after(1, note('moved'));
    await vi.advanceTimersByTimeAsync(1);
    for (const clock of [account, service]) {
      account.after(1000, note('thawed'));
      clock.freeze(true);
      await vi.advanceTimersByTimeAsync(HOUR);
      clock.freeze(false);
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(ran).toEqual(['moved@1001', 'thawed@2001', 'thawed@3001']);
  });

  it('reports a timer that fails, and runs the rest', async () => {
    const { account, note, ran, errors } = clocks();
    account.after(1, () => {
      throw new Error('on purpose');
    });
    account.after(1, note('next'));
    await vi.advanceTimersByTimeAsync(1);
    expect([ran, errors]).toEqual([['next@1'], [new Error('on purpose')]]);
  });
});

it('a clock does not run a timer that was canceled, even by another timer of the same time', async () => {
  const { account, service, note, ran } = clocks();
  const first = account.after(1, note('cancelled'));
  first();
  first();
  account.after(1, () => second());
  const second = account.after(1, note('cancelled by another'));
  expect(service.state.pending).toBe(2);
  await account.advance(1);
  expect([ran, service.state.pending]).toEqual([[], 0]);
});

it('an advance waits for timers that run already, and for the timers that they set', async () => {
  const { account, note, ran } = clocks();
  let settle = () => {};
  account.after(0, async () => {
    await new Promise<void>((resolve) => {
      settle = resolve;
    });
    account.after(10, note('retry'));
  });
  await vi.advanceTimersByTimeAsync(1);
  expect(account.state).toMatchObject({ pending: 1, next: null });
  const advance = account.advance(10);
  await nextTurn();
  settle();
  await advance;
  expect(ran).toEqual(['retry@11']);
});

it('an advance of all accounts runs the due timers of a frozen account whose own advance has ended', async () => {
  const { service, account, note, ran } = clocks();
  account.freeze(true);
  account.after(300, note('a'));
  account.after(600, note('b'));
  await Promise.all([account.advance(100), service.advance(500)]);
  expect([ran, account.now()]).toEqual([['a@300', 'b@600'], NOW + 600]);
});

it('a clock has the time to which it was moved, even if a timer unfreezes it on the way', async () => {
  const { account } = clocks();
  account.freeze(true);
  account.after(400, () => account.freeze(false));
  await account.advance(1000);
  expect(account.now()).toBe(NOW + 1000);
});

it('frozen clocks stand where they stood after a restore, and still move with that of all accounts', async () => {
  const { service, account } = clocks();
  account.freeze(true);
  service.freeze(true);
  await service.advance(HOUR);
  const saved = [service.save(), account.save()];
  await vi.advanceTimersByTimeAsync(HOUR);
  const { service: restored, account: other } = clocks();
  restored.load(saved[0] ?? {});
  other.load(saved[1] ?? {});
  for (const clock of [restored, other]) clock.begin();
  expect([restored.now(), other.now()]).toEqual([NOW + HOUR, NOW + HOUR]);
  await restored.advance(1);
  expect([restored.now(), other.now()]).toEqual([NOW + HOUR + 1, NOW + HOUR + 1]);
});

const steps = fc.array(
  fc.record({
    account: fc.boolean(),
    ms: fc.integer({ min: 0, max: 6 }),
    sets: fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 2 }),
  }),
  { maxLength: 40 },
);
const cancelled = fc.array(fc.nat(39), { maxLength: 20 });
const moved = fc.array(fc.nat(5));

it('a clock runs timers in the order of their due times, then in the order in which they were set', async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      cancelled,
      moved,
      fc.boolean(),
      async (steps, cancels, moves, isFrozen) => {
        const { service, account, other } = clocks();
        service.freeze(isFrozen);
        const start = service.now();
        const ran: [due: number, order: number][] = [];
        let expected: [due: number, order: number][] = [];
        let order = 0;
        let wrong = 0;
        const set = (clock: Pick<Clock, 'now' | 'after'>, ms: number, sets: readonly number[]) => {
          const timer: [number, number] = [clock.now() + ms - start, order++];
          expected.push(timer);
          return clock.after(ms, async () => {
            ran.push(timer);
            for (const more of sets) set(clock, more, []);
            if (clock.now() - start !== timer[0]) wrong++;
            await null;
            if (clock.now() - start !== timer[0]) wrong++;
          });
        };
        const ends = steps.map(({ account: isFirst, ms, sets }) =>
          set(isFirst ? account : other, ms, sets),
        );
        for (const at of cancels) ends[at]?.();
        expected = expected.filter(([, at]) => !cancels.includes(at));
        const sorted = () => expected.toSorted(([a, one], [b, two]) => a - b || one - two);
        let end = 0;
        for (const ms of moves) {
          await service.advance(ms);
          end += ms;
          expect(service.now() - start).toBe(end);
          expect(ran).toEqual(sorted().filter(([due]) => due <= end));
        }
        await service.advance('idle');
        expect(ran).toEqual(sorted());
        expect(wrong).toBe(0);
      },
    ),
    runs(20_000, 50),
  );
});

it.each([
  [1, 'a.js:1:1', 'a timer failed at a.js:1:1: it threw a TypeError'],
  [3, 'a.js:1:1', '3 timers failed, one at a.js:1:1: it threw a TypeError'],
  [1, undefined, 'a timer failed: it threw a TypeError'],
  [2, undefined, '2 timers failed, one: it threw a TypeError'],
])('an advance says at its end that %i timers failed, at %s', async (count, place, words) => {
  const { service, account, note, ran, errors } = clocks(place);
  for (let ms = 1; ms <= count; ms++) account.after(ms, () => Promise.reject(ms));
  account.after(9, note('next'));
  await expect(service.advance(10)).rejects.toMatchObject({
    code: 'MOMO_MOCK_TIMER_FAILED',
    message: `Failed to advance the clock: ${words}. Correct the handler that set it; the log of momo-mock has the details.`,
  });
  expect([ran, errors.length, account.now()]).toEqual([['next@9'], count, NOW + 10]);
  await service.advance(0);
  // It waits no longer for one that would not settle.
  expect(vi.getTimerCount()).toBe(0);
});

it('the clock of all accounts shows how many timers are pending in all accounts, and which is next', async () => {
  const { service, account, other } = clocks();
  await account.advance(HOUR);
  account.after(700, () => {});
  other.after(800, () => {});
  expect(service.state).toEqual({
    now: NOW,
    frozen: false,
    pending: 2,
    next: NOW + 700,
    prompts: 0,
  });
  expect(account.state).toMatchObject({ pending: 1, next: NOW + HOUR + 700 });
  for (const clock of [account, other]) clock.close();
  const closed = { now: NOW, frozen: false, pending: 0, next: null, prompts: 0 };
  expect(service.state).toEqual(closed);
});

it('a closed clock drops the timers of all accounts, and accepts no new ones', async () => {
  const { service, account, note, ran } = clocks();
  account.after(1, note('a'));
  service.after(1, note('b'));
  for (const clock of [service, account]) clock.close();
  for (const clock of [account, service]) clock.after(1, note('c'))();
  for (const clock of [account, service]) clock.after(1, note('d'));
  await service.advance(10);
  await vi.advanceTimersByTimeAsync(10);
  expect([ran, vi.getTimerCount()]).toEqual([[], 0]);
});

it('a clock counts what waits for handlers, and still when it was closed', () => {
  const { account } = clocks();
  const options = { place: () => 'pay.post.js:1:1' };
  const entry = { id: 1, account: null, title: 'Pay?', text: 'Shop', choices: ['yes'], since: '' };
  const prompt = { entry, due: Infinity, onEnd: () => {}, options };
  const counts = () => [account.ofHandlers, account.prompts.length, account.state.pending];
  const cancel = account.after(1, () => {}, options);
  account.after(1, () => {}, options);
  account.after(1, () => {})();
  account.ask(prompt);
  expect(counts()).toEqual([3, 1, 2]);
  cancel();
  expect(counts()).toEqual([2, 1, 1]);
  account.close();
  account.ask(prompt);
  expect(counts()).toEqual([2, 0, 0]);
});

it('a clock reports every change: a timer that is set, canceled or run, a move, a freeze, its end', async () => {
  const { account, seen } = clocks();
  const changed = async (act: () => unknown) => {
    const { changes } = seen;
    await act();
    return seen.changes > changes;
  };
  let cancel = () => {};
  expect(await changed(() => account.now() && account.state)).toBe(false);
  expect(await changed(() => (cancel = account.after(1, () => {})))).toBe(true);
  expect(await changed(() => cancel())).toBe(true);
  account.after(1, () => {});
  expect(await changed(() => vi.advanceTimersByTimeAsync(1))).toBe(true);
  for (const act of [() => account.advance(1), () => account.freeze(true), () => account.close()]) {
    expect(await changed(act)).toBe(true);
  }
});
