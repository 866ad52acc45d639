import { X509Certificate } from 'node:crypto';
import type { Certificate } from './certificate.ts';
import { canonicalName, isAddress, LOOPBACK_NAMES } from './names.ts';

/**
 * Whether a certificate is for a host, as clients see it: wildcards count.
 *
 * @param host a DNS name or an address, in brackets or not
 * @returns `undefined` where it is not
 */
export function isNamedBy(
  { cert }: Pick<Certificate, 'cert'>,
  host: string,
): 'loopback' | 'elsewhere' | undefined {
  const name = canonicalName(host);
  if (name === undefined) return undefined;
  const leaf = new X509Certificate(cert);
  const found = isAddress(name) ? leaf.checkIP(name) : leaf.checkHost(name);
  if (found === undefined) return undefined;
  return LOOPBACK_NAMES.includes(name) ? 'loopback' : 'elsewhere';
}
