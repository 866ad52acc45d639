import { expect, it } from 'vitest';
import { type Outcome, Tally } from '../../../src/mock/journal/tally.ts';

const NONE: Outcome = { method: 'GET', status: null, fault: null, reason: null };

it.each<[string, Partial<Outcome>]>([
  ['200', { status: 200 }],
  ['401 key-unknown', { status: 401, reason: 'key-unknown' }],
  ['200 dribble', { status: 200, fault: 'dribble' }],
  ['reset', { fault: 'reset' }],
  ['no answer', {}],
  ['bad-url', { reason: 'bad-url', fault: 'reset' }],
])('counts %s', (kind, outcome) => {
  const tally = new Tally();
  tally.count({ ...NONE, ...outcome });
  tally.count({ ...NONE, ...outcome });
  expect([...tally.kinds]).toEqual([[kind, 2]]);
  expect(tally.requests).toBe(2);
});

it('counts how a connection ended that never became a request, but no request', () => {
  const tally = new Tally();
  tally.count({ ...NONE, method: null, reason: 'tls-handshake' });
  expect(tally.requests).toBe(0);
  expect([...tally.kinds]).toEqual([['tls-handshake', 1]]);
});
