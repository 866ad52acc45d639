import { onTestFinished } from 'vitest';
import type { Callback } from '../../../src/mock/callbacks/callback.ts';
import type {
  CallbackAttempt,
  CallbackOutcome,
} from '../../../src/mock/callbacks/callback-attempt.ts';
import type { CallbackEntry } from '../../../src/mock/callbacks/callback-entry.ts';
import { Callbacks } from '../../../src/mock/callbacks/callbacks.ts';
import { Redactor } from '../../../src/mock/redaction/redaction.ts';

/** The URL of the application that is called. */
export const URL_OF_APP = 'http://localhost:1/hook';

/** Timers that run in order of their due times when the test says so. */
function handTimers() {
  let now = 1_000_000;
  let due: { at: number; act: () => unknown }[] = [];
  return {
    now: () => now,
    after(ms: number, act: () => unknown) {
      const timer = { at: now + ms, act };
      due.push(timer);
      return () => {
        due = due.filter((other) => other !== timer);
      };
    },
    get due() {
      return due;
    },
    /** Forgets a timer that the test runs itself. */
    drop(timer: unknown) {
      due = due.filter((other) => other !== timer);
    },
    get waits() {
      return due.map(({ at }) => at - now);
    },
    /** Runs what is due next, until nothing is. */
    async run() {
      for (;;) {
        const [next] = due.toSorted((a, b) => a.at - b.at);
        if (next === undefined) return;
        due = due.filter((other) => other !== next);
        now = next.at;
        await next.act();
      }
    },
  };
}

/** Callbacks whose attempts are answered by a function, and the attempts that were sent. */
export function callbacksOf(
  answer: (attempt: CallbackAttempt) => CallbackOutcome | Promise<CallbackOutcome> = () => ({
    status: 200,
  }),
  size = 100,
) {
  const redactor = new Redactor();
  redactor.remember('alice-key');
  const sent: CallbackAttempt[] = [];
  const callbacks = new Callbacks({
    size,
    redactor,
    send: async (attempt) => {
      sent.push(attempt);
      return await answer(attempt);
    },
  });
  onTestFinished(() => callbacks.close());
  const timers = handTimers();
  const queue = (callback: Partial<Callback>, account: string | null = 'account-1') =>
    callbacks.queue({ url: URL_OF_APP, ...callback }, { account, timers });
  const entries = async (filter = {}) => {
    const found: CallbackEntry[] = [];
    for await (const entry of (await callbacks.journal.read(filter)).entries) found.push(entry);
    return found;
  };
  return { callbacks, timers, queue, sent, entries };
}
