import { expect, it } from 'vitest';
import { attemptWords } from '../../src/page/words.ts';

const ATTEMPT = {
  ...{ id: 1, time: '2026-01-01T00:00:00.000Z', account: null, url: 'http://a/', method: 'POST' },
  ...{ webhookId: 'a', attempt: 1, forge: null, reason: null, hint: null, duration: 1 },
};

it.each([
  [409, true, false],
  [200, false, true],
  [null, null, false],
])(
  'an attempt with the status %s is a problem if it is not accepted',
  (status, accepted, isProblem) => {
    expect(attemptWords({ ...ATTEMPT, status, accepted })).toMatchObject({ isProblem });
  },
);
