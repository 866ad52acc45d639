import type { RequestEvent } from '../../../src/mock/journal/feed.ts';

/** A request that was answered with the balance, apart from what is given. */
export function entryOf(id: number, given: Partial<RequestEvent> = {}): RequestEvent {
  return {
    id,
    time: '2026-11-22T12:00:00.000Z',
    tls: 'normal',
    account: 'account-1',
    method: 'GET',
    path: '/momo/balance',
    operation: 'GET /momo/balance',
    query: {},
    status: 200,
    source: 'fixture',
    file: '/app/fixtures/momo/balance.get.json',
    variant: null,
    fault: null,
    reason: null,
    hint: null,
    duration: 1.2,
    ended: true,
    aborted: false,
    ...given,
  };
}

/** What is not known while a request is in flight. */
export const IN_FLIGHT = {
  ...{ status: null, source: null, file: null, duration: null },
  ended: false,
} as const;
