import { isIP } from 'node:net';

/**
 * Whether a `Host` header names a place that only this machine's owner can have meant: loopback,
 * an address, a name without a dot (a container), or a configured name. A web page that makes its
 * own domain point here (DNS rebinding) is refused.
 *
 * @param configured more names, lower case
 */
export function isExpectedHost(header: string | undefined, configured: readonly string[]): boolean {
  if (header === undefined) return false;
  const host = header.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  const address = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIP(address) !== 0) return true;
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host)) return false;
  return !host.includes('.') || host.endsWith('.localhost') || configured.includes(host);
}
