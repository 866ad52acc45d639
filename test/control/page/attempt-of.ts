import type { CallbackEvent } from '../../../src/mock/controller/journal-events.ts';

/** An attempt that the application accepted, apart from what is given. */
export function attemptOf(id: number, given: Partial<CallbackEvent> = {}): CallbackEvent {
  return {
    id,
    time: '2026-11-22T12:00:00.000Z',
    account: 'account-1',
    url: 'http://localhost:9/hook',
    method: 'POST',
    attempt: 1,
    status: 200,
    reason: null,
    hint: null,
    duration: 1.2,
    ...given,
  };
}

/** What is not known while an attempt is in flight. */
export const IN_FLIGHT = { status: null, duration: null } as const;
