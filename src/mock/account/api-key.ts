import { randomBytes } from 'node:crypto';

/** A key, and the variant of its account. */
export interface KeyEntry {
  readonly key: string;
  readonly variant?: string | undefined;
}

export function randomKey(): string {
  return `momo_test_${randomBytes(18).toString('base64url')}`;
}
