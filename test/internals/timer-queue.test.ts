import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Timer, TimerQueue } from '../../src/mock/clock/timer-queue.ts';
import { runs } from '../endurance/scale.ts';

const byDue = (one: Timer, two: Timer) => one.due - two.due || one.order - two.order;

it('has the timers in the order in which they are due, whatever is added and removed', () => {
  const step = fc.oneof(
    fc.record({ due: fc.integer({ min: 0, max: 40 }) }),
    fc.record({ remove: fc.nat(60) }),
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 100 }), (steps) => {
      const queue = new TimerQueue();
      let model: Timer[] = [];
      for (const [order, step] of steps.entries()) {
        if ('due' in step) {
          const timer = { due: step.due, order, act: () => {} };
          queue.add(timer);
          model.push(timer);
        } else {
          const timer = model[step.remove];
          if (timer !== undefined) expect(queue.remove(timer)).toBe(true);
          if (timer !== undefined) expect(queue.remove(timer)).toBe(false);
          model = model.filter((other) => other !== timer);
        }
        expect([queue.next, queue.size]).toEqual([model.toSorted(byDue)[0], model.length]);
      }
      const [early, late] = [
        model.filter(({ due }) => due <= 20),
        model.filter(({ due }) => due > 20),
      ];
      expect(queue.takeDue(-1)).toEqual([]);
      expect(queue.takeDue(20)).toEqual(early.toSorted(byDue));
      expect([queue.takeDue(20), queue.size]).toEqual([[], model.length]);
      for (const timer of early) expect(queue.remove(timer)).toBe(true);
      for (const timer of late.toSorted(byDue)) {
        expect(queue.next).toBe(timer);
        queue.remove(timer);
      }
      expect([queue.next, queue.size]).toEqual([undefined, 0]);
    }),
    runs(20_000, 100),
  );
});

it('forgets all when it is cleared', () => {
  const queue = new TimerQueue();
  const timer = { due: 1, order: 1, act: () => {} };
  queue.add(timer);
  queue.clear();
  expect([queue.size, queue.next, queue.takeDue(9), queue.remove(timer)]).toEqual([
    0,
    undefined,
    [],
    false,
  ]);
});
