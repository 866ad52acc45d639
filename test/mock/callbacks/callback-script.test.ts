import { expect, test } from 'vitest';
import { callbacksOf } from './callbacks-of.ts';

test('each callback takes what is scripted next, however many attempts it needs', async () => {
  const statuses = [500, 200];
  const { callbacks, queue, timers, entries } = callbacksOf(() => {
    return { status: statuses.shift() ?? 200 };
  });
  callbacks.scripts.set([{}, { lose: true }, { delay: 5000 }, { repeat: 2 }]);
  for (const body of ['a', 'b', 'c', 'd', 'e']) queue({ body, retry: [100] });
  expect(callbacks.scripts.get()).toEqual([]);
  await timers.run();
  const made = await entries();
  expect(
    made.map(({ body, attempt, status, reason, time }) => {
      return [body, attempt, status ?? reason, Date.parse(time) - 1_000_000];
    }),
  ).toEqual([
    ['a', 1, 500, 0],
    ['b', 1, 'lost', 0],
    ['d', 1, 200, 0],
    ['e', 1, 200, 0],
    ['d', 1, 200, 0],
    ['a', 2, 200, 100],
    ['c', 1, 200, 5000],
  ]);
  expect(made[1]?.hint).toContain('{"lose": true}');
});

test('a lost callback is not sent, and not tried again', async () => {
  const { callbacks, queue, timers, sent, entries } = callbacksOf();
  callbacks.scripts.set([{ lose: true, repeat: 2 }]);
  queue({ retry: [1, 1] });
  await timers.run();
  expect(sent).toEqual([]);
  expect(await entries()).toMatchObject([{ attempt: 1, status: null, reason: 'lost' }]);
  expect(callbacks.pending).toBe(0);
});

test('a repeated callback is tried again each time', async () => {
  const { callbacks, queue, timers, entries } = callbacksOf(() => ({ status: 500 }));
  callbacks.scripts.set([{ repeat: 2 }]);
  queue({ retry: [1000] });
  await timers.run();
  expect((await entries()).map(({ attempt }) => attempt)).toEqual([1, 2, 1, 2]);
});

test('what is scripted for an account comes first, and only for its callbacks', async () => {
  const { callbacks, queue, timers, entries } = callbacksOf();
  callbacks.scripts.set([{ lose: true }]);
  callbacks.scripts.set([{ repeat: 2 }], 'account-1');
  queue({ body: 'own' }, 'account-1');
  queue({ body: 'lost' }, 'account-2');
  queue({ body: 'other' }, 'account-1');
  await timers.run();
  expect((await entries()).map(({ body, reason }) => [body, reason])).toEqual([
    ['own', null],
    ['lost', 'lost'],
    ['other', null],
    ['own', null],
  ]);
});

test('a callback that is nothing to do takes nothing', () => {
  const { callbacks, queue } = callbacksOf();
  callbacks.scripts.set([{ lose: true }]);
  queue({ url: '' });
  expect(callbacks.scripts.get()).toEqual([{ lose: true }]);
});

test('a change of the list that was scripted changes nothing', () => {
  const { callbacks } = callbacksOf();
  const script = [{ lose: true }];
  callbacks.scripts.set(script);
  script.pop();
  expect(callbacks.scripts.get()).toHaveLength(1);
});
