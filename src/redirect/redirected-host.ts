import { canonicalName, LOOPBACK_NAMES } from '../tls/names.ts';

/**
 * Reads the name of a host to redirect.
 *
 * @returns its canonical form, or why it cannot be redirected
 */
export function redirectedHost(
  given: string,
): { readonly host: string } | { readonly problem: 'not a host name' | 'this machine' } {
  const host = canonicalName(given);
  if (host === undefined || host.includes('*')) return { problem: 'not a host name' };
  return LOOPBACK_NAMES.includes(host) ? { problem: 'this machine' } : { host };
}
