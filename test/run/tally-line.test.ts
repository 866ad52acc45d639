import { expect, it } from 'vitest';
import { tallyLine } from '../../src/cli/run.ts';

it.each([
  ['no requests', 0, []],
  ['no requests: 1 × tls-handshake', 0, [['tls-handshake', 1]]],
  ['1 request: 1 × 200', 1, [['200', 1]]],
  [
    '5 requests: 3 × 503, 1 × 200, 1 × reset',
    5,
    [
      ['reset', 1],
      ['200', 1],
      ['503', 3],
    ],
  ],
] as const)('is one line, the most frequent first: %s', (line, requests, kinds) => {
  expect(tallyLine({ requests, kinds: new Map<string, number>(kinds) })).toBe(line);
});
