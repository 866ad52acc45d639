import { expect, test } from 'vitest';
import { Slots } from '../../src/mock/slots.ts';

const NEVER = new AbortController().signal;

/** A promise, and the function that resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test('what finds no slot waits, and runs in order', async () => {
  const slots = new Slots(2);
  const ran: number[] = [];
  const gates = [gate(), gate(), gate(), gate()];
  const all = gates.map(({ opened }, n) =>
    slots.run(NEVER, async () => {
      ran.push(n);
      await opened;
      return n;
    }),
  );
  await Promise.resolve();
  expect(ran).toEqual([0, 1]);
  gates[1]?.open();
  await all[1];
  await Promise.resolve();
  expect(ran).toEqual([0, 1, 2]);
  for (const { open } of gates) open();
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
});

test('what is aborted while it waits does not run, and holds nobody up', async () => {
  const slots = new Slots(1);
  const { open, opened } = gate();
  const first = slots.run(NEVER, () => opened);
  const abort = new AbortController();
  const ran: string[] = [];
  const second = slots.run(abort.signal, async () => ran.push('second'));
  const third = slots.run(NEVER, async () => ran.push('third'));
  abort.abort();
  expect(await second).toBeUndefined();
  open();
  await Promise.all([first, third]);
  expect(ran).toEqual(['third']);
  expect(await slots.run(abort.signal, async () => ran.push('late'))).toBeUndefined();
});

test('a failure frees the slot', async () => {
  const slots = new Slots(1);
  await expect(slots.run(NEVER, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await slots.run(NEVER, async () => 'next')).toBe('next');
});
