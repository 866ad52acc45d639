import { expect, test } from 'vitest';
import { Semaphore } from '../../src/mock/webhooks/semaphore.ts';
import { gate } from '../support/gate.ts';

const NEVER = new AbortController().signal;

/** A promise, and the function that resolves it. */
test('a task without a free slot waits, and tasks run in order', async () => {
  const semaphore = new Semaphore(2);
  const ran: number[] = [];
  const gates = [gate(), gate(), gate(), gate()];
  const all = gates.map(({ opened }, n) =>
    semaphore.run(NEVER, async () => {
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

test('a task that is aborted while it waits does not run, and delays no other', async () => {
  const semaphore = new Semaphore(1);
  const { open, opened } = gate();
  const first = semaphore.run(NEVER, () => opened);
  const abort = new AbortController();
  const ran: string[] = [];
  const second = semaphore.run(abort.signal, async () => ran.push('second'));
  const third = semaphore.run(NEVER, async () => ran.push('third'));
  abort.abort();
  expect(await second).toBeUndefined();
  open();
  await Promise.all([first, third]);
  expect(ran).toEqual(['third']);
  expect(await semaphore.run(abort.signal, async () => ran.push('late'))).toBeUndefined();
});

test('a failed task frees its slot', async () => {
  const semaphore = new Semaphore(1);
  await expect(semaphore.run(NEVER, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await semaphore.run(NEVER, async () => 'next')).toBe('next');
});
