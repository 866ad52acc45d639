import { describe, expect, it, onTestFinished } from 'vitest';
import type { DrillTarget } from '../../src/drill/application.ts';
import { runDrill } from '../../src/drill/drill.ts';
import { JournalTail, newest } from '../../src/drill/journal-tail.ts';
import { type MomoAccount, MomoMockError, startMomoMock } from '../support/momo-mock.ts';

const unverified = new MomoMockError('MOMO_MOCK_NOT_VERIFIED', 'The journal is not complete.');
const unknown = new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', 'The account is gone.');

/** Reads a journal, which is complete only where nobody has to wait for an entry. */
function reading(whole: readonly number[] | Error, newestOnes: readonly number[] | Error) {
  return async ({ waitFor }: { waitFor?: number }): Promise<number[]> => {
    const result = waitFor === undefined ? whole : newestOnes;
    if (result instanceof Error) throw result;
    return [...result];
  };
}

describe('what the drill knows of a journal', () => {
  it('is all of it', async () => {
    expect(await newest(reading([1, 2], unknown))).toEqual([1, 2]);
  });

  it('is what is left, if it has dropped entries', async () => {
    expect(await newest(reading(unverified, [2]))).toEqual([2]);
  });

  it('is nothing, if nothing is left', async () => {
    expect(await newest(reading(unverified, unverified))).toEqual([]);
  });

  it.each([
    ['at first', reading(unknown, [])],
    ['where entries were dropped', reading(unverified, unknown)],
  ])('is an error, if the account is gone %s', async (_when, read) => {
    await expect(newest(read)).rejects.toBe(unknown);
  });
});

it('a tail reads again only what had not ended, and what came later', async () => {
  const entries = [
    { id: 1, ended: true },
    { id: 2, ended: false },
    { id: 3, ended: true },
  ];
  const asked: unknown[] = [];
  const tail = new JournalTail(
    async ({ since = 0 }: { since?: number }) => {
      asked.push(since);
      return entries.filter(({ id }) => id > since).map((entry) => ({ ...entry }));
    },
    ({ ended }) => ended,
  );
  expect(await tail.entries()).toEqual(entries);
  entries[1] = { id: 2, ended: true };
  entries.push({ id: 4, ended: true });
  expect(await tail.entries()).toEqual(entries);
  expect(await tail.entries()).toEqual(entries);
  expect(asked).toEqual([0, 1, 4]);
});

it('an error of the mock stops the drill, rather than to look like an application that sends nothing', async () => {
  const mock = await startMomoMock({ preset: 'chipdeals' });
  onTestFinished(() => mock.close());
  const create = mock.createAccount.bind(mock);
  const createAccount: typeof create = async (options) => {
    const account = await create(options);
    const requests: MomoAccount['requests'] = () => Promise.reject(unknown);
    return Object.assign(Object.create(account), { requests });
  };
  const target: DrillTarget = {
    isShared: true,
    maxWatched: 1,
    place: async () => ({
      open: async () => ({
        pay: async () => {},
        outcome: async () => 'pending' as const,
        close: async () => {},
      }),
    }),
  };
  Object.assign(mock, { createAccount });
  const times = { limit: 1000, patience: 1000, concurrency: 1 };
  const drill = runDrill({ mock, target, webhookExists: false, only: ['success'], ...times });
  await expect(drill).rejects.toThrow('The account is gone.');
});
