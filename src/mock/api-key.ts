import { randomBytes } from 'node:crypto';
import { PARAMETER } from './contract.ts';
import type { Reason } from './reason.ts';
import { isKeyHeader, isKeyName } from './redaction/secret-names.ts';
import type { RequestTarget } from './request-target.ts';

/** A key, and the variant of its account. */
export interface KeyEntry {
  readonly key: string;
  readonly variant?: string | undefined;
}

export function randomKey(): string {
  return `momo_test_${randomBytes(18).toString('base64url')}`;
}

/**
 * The key of a request, or the reason for which it has none that could be valid. Stated: a missing,
 * empty or repeated key is invalid.
 *
 * @param headers with names in lower case; they only affect the reason
 */
export function readKey(
  query: RequestTarget['query'],
  headers: Readonly<Record<string, unknown>>,
): { readonly key?: string; readonly reason: Reason } {
  const [key, ...more] = query.filter(([name]) => name === PARAMETER).map(([, value]) => value);
  if (more.length > 0) return { reason: 'key-repeated' };
  if (key === '') return { reason: 'key-empty' };
  if (key !== undefined) return { key, reason: 'key-unknown' };
  if (query.some(([name]) => isKeyName(name))) return { reason: 'key-misspelt' };
  return { reason: Object.keys(headers).some(isKeyHeader) ? 'key-in-header' : 'key-missing' };
}
