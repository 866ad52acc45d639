import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Clock } from '../../src/mock/clock/clock.ts';
import { LONGEST_STEP } from '../../src/mock/limits.ts';
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

interface Clocks {
  readonly service: Clock;
  readonly account: Clock;
  /** A further account. */
  readonly other: Clock;
  readonly errors: unknown[];
  changes: number;
  /** What ran: names, with the time by the clock since the start. */
  readonly ran: string[];
  /** Makes a function that notes when it runs. */
  readonly note: (name: string, clock?: Clock) => () => void;
}

function clocks(place?: string): Clocks {
  const errors: unknown[] = [];
  const onError = (error: unknown) => {
    errors.push(error);
    return place;
  };
  const onChange = () => {
    made.changes++;
  };
  const service = new Clock({ onChange, onError });
  const [account, other] = [1, 2].map(() => new Clock({ onChange, onError }, service));
  const ran: string[] = [];
  const note = (name: string, clock = account as Clock) => {
    return () => void ran.push(`${name}@${clock.now() - NOW}`);
  };
  const made = { service, account, other, errors, changes: 0, ran, note } as Clocks;
  return made;
}

function failed(why: string) {
  const message = `Failed to advance the clock: ${why}`;
  return { name: 'MomoMockError', code: 'MOMO_MOCK_TIMER_FAILED', message };
}

describe('a clock that is not moved', () => {
  it('has the time of the system, and runs timers when they are due', async () => {
    const { account, note, ran } = clocks();
    expect(account.now()).toBe(NOW);
    account.after(2000, note('b'));
    account.after(1000, note('a'));
    account.after(2000, note('c'));
    account.after(0, note('now'));
    expect(ran).toEqual([]);
    await vi.advanceTimersByTimeAsync(1999);
    expect(ran).toEqual(['now@0', 'a@1000']);
    await vi.advanceTimersByTimeAsync(1);
    expect(ran.slice(2)).toEqual(['b@2000', 'c@2000']);
  });

  it('has the due time in a timer that runs late, and starts late ones in order', async () => {
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
    await vi.advanceTimersByTimeAsync(1);
    expect(ran).toEqual([`far@${years}`]);
    await vi.advanceTimersByTimeAsync(years);
    expect(ran).toHaveLength(1);
  });

  it.each([
    ['back', -HOUR],
    ['forward', HOUR],
  ])('keeps the waits of timers when the system clock is set %s', async (_way, by) => {
    const { account, note, ran } = clocks();
    account.after(1000, note('a'));
    vi.setSystemTime(NOW + by);
    await vi.advanceTimersByTimeAsync(999);
    expect(ran).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ran).toEqual(['a@1000']);
    // Without a timer, it has the time of the system again.
    expect(account.now()).toBe(NOW + by + 1000);
  });

  it('does not run what was cancelled', async () => {
    const { account, service, note, ran } = clocks();
    const cancel = account.after(1000, note('a'));
    account.after(1000, note('b'));
    cancel();
    cancel();
    expect(service.state.pending).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ran).toEqual(['b@1000']);
  });

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

  it.each([-1, Number.NaN, Infinity, LONGEST_STEP + 1, '1' as never, undefined as never])(
    'refuses a timer in %s ms',
    (ms) => {
      const { account } = clocks();
      expect(() => account.after(ms, () => {})).toThrow(
        expect.objectContaining({
          code: 'MOMO_MOCK_REQUEST_INVALID',
          message:
            'Failed to read the time of after: must be a number of ms from 0 to 3153600000000.',
        }),
      );
      expect(account.state.pending).toBe(0);
    },
  );

  it('refuses a timer without a function', () => {
    const { account } = clocks();
    expect(() => account.after(1, 'act' as never)).toThrow('must be a function');
  });
});

describe('advance', () => {
  it('runs what comes due, at its due time, and moves on to the end', async () => {
    const { account, note, ran } = clocks();
    account.after(2000, note('b'));
    account.after(1000, () => {
      note('a')();
      account.after(500, note('of a'));
      account.after(5000, note('too late'));
    });
    account.after(3001, note('too late'));
    await account.advance(3000);
    expect(ran).toEqual(['a@1000', 'of a@1500', 'b@2000']);
    expect(account.now()).toBe(NOW + 3000);
    // It goes on from there.
    await vi.advanceTimersByTimeAsync(1);
    expect(ran.at(-1)).toBe('too late@3001');
    expect(account.now()).toBe(NOW + 3001);
  });

  it('waits for the promises of what runs, and for what these set within the time', async () => {
    const { account, note, ran } = clocks();
    account.after(1000, async () => {
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      note('answered')();
      account.after(1000, note('retry'));
    });
    account.after(1500, note('later'));
    await account.advance(2000);
    expect(ran).toEqual(['answered@1000', 'later@1500', 'retry@2000']);
  });

  it('waits for what runs already, and for what that sets', async () => {
    const { account, note, ran } = clocks();
    let answer = () => {};
    account.after(0, async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      account.after(10, note('retry'));
    });
    await vi.advanceTimersByTimeAsync(1);
    expect(account.state).toMatchObject({ pending: 1, next: null });
    const advance = account.advance(10);
    await nextTurn();
    answer();
    await advance;
    expect(ran).toEqual(['retry@11']);
  });

  it('runs what a timer sets without waiting for it', async () => {
    const { account, note, ran } = clocks();
    const detached = async () => {
      for (let turn = 0; turn < 50; turn++) await null;
      account.after(0, note('detached'));
    };
    account.after(10, () => void detached());
    account.after(20, note('later'));
    await account.advance('idle');
    expect(ran).toEqual(['detached@10', 'later@20']);
  });

  it('does not run what a timer that is due at the same time cancels', async () => {
    const { account, note, ran } = clocks();
    account.after(1, () => cancel());
    const cancel = account.after(1, note('cancelled'));
    await account.advance(1);
    expect(ran).toEqual([]);
  });

  it('idle runs until nothing is pending, and moves no further', async () => {
    const { account, note, ran } = clocks();
    await account.advance('idle');
    expect(account.now()).toBe(NOW);
    account.after(HOUR, () => account.after(HOUR, note('end')));
    await account.advance('idle');
    expect(ran).toEqual([`end@${2 * HOUR}`]);
    expect(account.state).toMatchObject({ now: NOW + 2 * HOUR, pending: 0, next: null });
  });

  it('several calls run one after the other', async () => {
    const { account, service, note, ran } = clocks();
    account.after(1000, () => nextTurn().then(note('a')));
    account.after(2000, note('b'));
    await Promise.all([account.advance(1000), service.advance(500), account.advance(500)]);
    expect(ran).toEqual(['a@1000', 'b@2000']);
    expect([account.now() - NOW, service.now() - NOW]).toEqual([2000, 500]);
  });

  it('ends with an error for timers that do not come to an end, and can go on', async () => {
    const { account } = clocks();
    let isEndless = true;
    const again = () => {
      if (isEndless) for (let n = 0; n < 1000; n++) account.after(0, n === 0 ? again : () => {});
    };
    account.after(0, again);
    await expect(account.advance('idle')).rejects.toMatchObject(
      failed(
        '100,000 timers ran, and more are due. Advance by less time, or correct a timer that sets itself again.',
      ),
    );
    isEndless = false;
    await account.advance('idle');
    expect(account.state.pending).toBe(0);
  });

  const steps = fc.array(
    fc.record({
      account: fc.boolean(),
      ms: fc.integer({ min: 0, max: 6 }),
      sets: fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 2 }),
    }),
    { maxLength: 20 },
  );

  it('runs timers in the order of their due times, then in the order in which they were set', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.array(fc.nat(5)), fc.boolean(), async (steps, moves, isFrozen) => {
        const { service, account, other } = clocks();
        service.freeze(isFrozen);
        const start = service.now();
        const ran: [due: number, order: number][] = [];
        const expected: [due: number, order: number][] = [];
        let order = 0;
        let wrong = 0;
        const set = (clock: Clock, ms: number, sets: readonly number[]) => {
          const timer: [number, number] = [clock.now() + ms - start, order++];
          expected.push(timer);
          clock.after(ms, async () => {
            ran.push(timer);
            for (const more of sets) set(clock, more, []);
            if (clock.now() - start !== timer[0]) wrong++;
            await null;
            if (clock.now() - start !== timer[0]) wrong++;
          });
        };
        for (const { account: isFirst, ms, sets } of steps) {
          set(isFirst ? account : other, ms, sets);
        }
        let moved = 0;
        for (const ms of moves) {
          await service.advance(ms);
          moved += ms;
          expect(service.now() - start).toBe(moved);
          expect(ran).toEqual(sorted().filter(([due]) => due <= moved));
        }
        await service.advance('idle');
        expect(ran).toEqual(sorted());
        expect(wrong).toBe(0);

        function sorted() {
          return expected.toSorted(([a, one], [b, two]) => a - b || one - two);
        }
      }),
      runs(20_000, 50),
    );
  });
});

describe('a frozen clock', () => {
  it('runs nothing but by advance; 0 runs what is due', async () => {
    const { account, note, ran } = clocks();
    account.freeze();
    account.after(0, note('due'));
    account.after(1000, note('later'));
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(ran).toEqual([]);
    expect(account.state).toEqual({ now: NOW, frozen: true, pending: 2, next: NOW });
    await account.advance(0);
    expect(ran).toEqual(['due@0']);
    await account.advance(999);
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(account.state).toEqual({
      now: NOW + 999,
      frozen: true,
      pending: 1,
      next: NOW + 1000,
    });
    account.freeze(false);
    account.freeze(false);
    expect(account.state).toMatchObject({ now: NOW + 999, frozen: false });
    await vi.advanceTimersByTimeAsync(1);
    expect(ran).toEqual(['due@0', 'later@1000']);
  });

  it('can be frozen and let go while it is moved', async () => {
    const { account } = clocks();
    account.after(10, () => account.freeze());
    await account.advance(20);
    expect(account.state).toMatchObject({ frozen: true, now: NOW + 20 });
    account.after(10, () => account.freeze(false));
    await account.advance(20);
    await vi.advanceTimersByTimeAsync(5);
    expect(account.state).toMatchObject({ frozen: false, now: NOW + 45 });
  });
});

describe('the clock of the service', () => {
  it('moves those of all accounts; that of an account is its own', async () => {
    const { service, account, other, note, ran } = clocks();
    await account.advance(HOUR);
    expect([service, account, other].map((clock) => clock.now() - NOW)).toEqual([0, HOUR, 0]);
    account.after(1000, note('account'));
    other.after(500, note('other', other));
    other.after(1500, note('too late', other));
    other.freeze();
    await service.advance(1000);
    expect(ran).toEqual(['other@500', `account@${HOUR + 1000}`]);
    expect([service, account, other].map((clock) => clock.now() - NOW)).toEqual([
      1000,
      HOUR + 1000,
      1000,
    ]);
    expect(other.state).toMatchObject({ frozen: true, pending: 1 });
  });

  it('freezes those of all accounts, also of later ones; moving one is still possible', async () => {
    const { service, account, other, note, ran } = clocks();
    other.after(1000, note('other', other));
    service.freeze();
    account.after(1000, note('account'));
    expect(account.state.frozen).toBe(true);
    account.freeze(false);
    await vi.advanceTimersByTimeAsync(HOUR);
    expect([ran, account.now()]).toEqual([[], NOW]);
    await account.advance(1000);
    expect(ran).toEqual(['account@1000']);
    service.freeze(false);
    expect([account.now(), other.now()]).toEqual([NOW + 1000, NOW]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ran).toEqual(['account@1000', 'other@1000']);
  });

  it('tells how much is pending in all accounts, and what comes next by its own time', async () => {
    const { service, account, other } = clocks();
    await account.advance(HOUR);
    account.after(700, () => {});
    other.after(800, () => {});
    expect(service.state).toEqual({ now: NOW, frozen: false, pending: 2, next: NOW + 700 });
    expect(account.state).toMatchObject({ pending: 1, next: NOW + HOUR + 700 });
  });
});

describe('a timer that fails', () => {
  it('is reported, and the rest runs; advance fails at its end, with the place', async () => {
    const { account, note, ran, errors } = clocks('momo/pay.post.js:3:9');
    const error = new Error('a value');
    account.after(1, () => {
      throw error;
    });
    account.after(2, note('next'));
    await expect(account.advance(10)).rejects.toMatchObject(
      failed(
        'a timer threw an error at momo/pay.post.js:3:9. Correct the handler that set it; the log of momo-mock has the details.',
      ),
    );
    expect([ran, errors, account.now()]).toEqual([['next@2'], [error], NOW + 10]);
    await account.advance(0);
  });

  it('is one of several, whose number is told', async () => {
    const { account } = clocks('a.js:1:1');
    for (const ms of [1, 1, 2]) account.after(ms, () => Promise.reject(ms));
    await expect(account.advance('idle')).rejects.toThrow(
      '3 timers threw errors, one at a.js:1:1. Correct',
    );
  });

  it('has no place in the fixtures if it is elsewhere', async () => {
    const { service, account } = clocks();
    account.after(1, () => Promise.reject(new Error()));
    await expect(service.advance('idle')).rejects.toThrow('a timer threw an error. Correct');
    for (const ms of [1, 1]) account.after(ms, () => Promise.reject(ms));
    await expect(service.advance('idle')).rejects.toThrow('2 timers threw errors. Correct');
  });

  it('in real time is reported, and the rest runs', async () => {
    const { account, note, ran, errors } = clocks();
    account.after(1, () => {
      throw new Error('on purpose');
    });
    account.after(1, note('next'));
    await vi.advanceTimersByTimeAsync(1);
    expect([ran, errors]).toEqual([['next@1'], [new Error('on purpose')]]);
  });
});

describe('a reset', () => {
  it('drops the timers and brings the time back, of an account or of all', async () => {
    const { service, account, other, note, ran } = clocks();
    for (const clock of [account, other]) {
      await clock.advance(1000);
      clock.freeze();
      clock.after(1000, note('dropped'));
    }
    account.reset();
    expect(account.state).toEqual({ now: NOW, frozen: false, pending: 0, next: null });
    expect(other.state).toMatchObject({ now: NOW + 1000, frozen: true, pending: 1 });
    service.reset();
    expect(other.state).toEqual({ now: NOW, frozen: false, pending: 0, next: null });
    await service.advance(HOUR);
    expect(ran).toEqual([]);
    account.after(1, note('later'));
    await account.advance(1);
    expect(ran).toEqual([`later@${HOUR + 1}`]);
  });

  it('ends a running advance, also where a promise never settles', async () => {
    const { account, service, errors, note, ran } = clocks();
    let fail = (_error: Error) => {};
    account.after(1, () => new Promise((_resolve, reject) => (fail = reject)));
    account.after(2, note('dropped'));
    const advances = [account.advance('idle'), service.advance(1)];
    await nextTurn();
    await nextTurn();
    account.reset();
    account.after(10, note('of the next test'));
    await Promise.all(advances);
    expect([account.now(), account.state.pending, ran]).toEqual([NOW + 1, 1, []]);
    fail(new Error('too late'));
    await nextTurn();
    expect(errors).toEqual([]);
  });

  it('of the service ends a running advance of an account', async () => {
    const { account, service } = clocks();
    account.after(1, () => new Promise(() => {}));
    const advance = account.advance(HOUR);
    await nextTurn();
    await nextTurn();
    service.reset();
    await advance;
    expect(account.state).toEqual({ now: NOW, frozen: false, pending: 0, next: null });
  });
});

it('that is frozen without timers is moved by that of the service', async () => {
  const { service, account } = clocks();
  account.freeze();
  await service.advance(HOUR);
  expect(account.now()).toBe(NOW + HOUR);
});

it('close drops all timers, of all accounts, and none can be set any more', async () => {
  const { service, account, other, note, ran } = clocks();
  account.after(1, note('a'));
  service.after(1, note('b'));
  service.close();
  account.after(1, note('c'))();
  await service.advance(10);
  await vi.advanceTimersByTimeAsync(10);
  expect(ran).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  const { account: another, note: more, ran: later } = clocks();
  another.close();
  another.after(1, more('c'));
  await another.advance(1);
  expect([later, other.state.pending]).toEqual([[], 0]);
});

it('says when something changes: a timer set, cancelled or run, a move, a freeze, a reset', async () => {
  const made = clocks();
  const { account } = made;
  const changed = async (act: () => unknown) => {
    const before = made.changes;
    await act();
    return made.changes > before;
  };
  expect(await changed(() => account.now() && account.state)).toBe(false);
  let cancel = () => {};
  expect(await changed(() => (cancel = account.after(1, () => {})))).toBe(true);
  expect(await changed(() => cancel())).toBe(true);
  account.after(1, () => {});
  expect(await changed(() => vi.advanceTimersByTimeAsync(1))).toBe(true);
  expect(await changed(() => account.advance(1))).toBe(true);
  expect(await changed(() => account.freeze())).toBe(true);
  expect(await changed(() => account.reset())).toBe(true);
});
