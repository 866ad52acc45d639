import * as crypto from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { createTokenCheck } from '../../src/control/plugins/access-check.ts';

vi.mock('node:crypto', async (original) => {
  const real = await original<typeof crypto>();
  return { ...real, timingSafeEqual: vi.fn(real.timingSafeEqual) };
});

it('a token is compared in constant time, whatever its length', () => {
  const brings = createTokenCheck('sekret-token');
  const tokens = ['s', 'sekret-tokem', 'sekret-token-and-more', 'x'.repeat(100_000), '\xff'];
  for (const token of tokens) expect(brings(`Bearer ${token}`)).toBe(false);
  expect(brings('Bearer sekret-token')).toBe(true);
  const { calls } = vi.mocked(crypto.timingSafeEqual).mock;
  expect(calls).toHaveLength(tokens.length + 1);
  for (const [one, other] of calls) expect(one.byteLength).toBe(other.byteLength);
});
