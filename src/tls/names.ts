import type { X509Certificate } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';
import { certificateError } from './certificate-error.ts';

export const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1'];

// Host names have no underscores, but container engines resolve service names with them.
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The names for a certificate: the loopback names and the hosts, without duplicates, in canonical
 * form.
 *
 * @param hosts DNS names, wildcards such as `*.example.com`, IPv4 and IPv6 addresses
 */
export function certificateNames(hosts: readonly string[]): string[] {
  const names = hosts.map((host) => {
    const name = canonicalName(host);
    if (name === undefined) {
      throw certificateError(
        `Failed to put ${JSON.stringify(host)} into the certificate: it is neither a host name nor an IP address. Correct it in MOMO_MOCK_TLS_HOSTS or MOMO_MOCK_HOST; a host name has no scheme, port or path.`,
      );
    }
    return name;
  });
  return [...new Set([...LOOPBACK_NAMES, ...names])];
}

/** The names in a certificate, in the form of {@link certificateNames}. */
export function namesOf(certificate: X509Certificate): string[] {
  const entries = (certificate.subjectAltName ?? '').split(', ');
  const names = entries.map((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? '');
  return names.flatMap((name) => canonicalName(name) ?? []);
}

/** Wildcards match only themselves. */
export function covers(certificate: X509Certificate, names: readonly string[]): boolean {
  const named = new Set(namesOf(certificate));
  return names.every((name) => named.has(name));
}

/** Whether clients accept a certificate for a host, also by a wildcard. */
export function isValidFor(certificate: X509Certificate, host: string): boolean {
  const isAddress = isIP(host) !== 0;
  return (isAddress ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}

/** A host of a URL without the brackets of an IPv6 address. */
export function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/**
 * The canonical form of a name: lower case, punycode, shortest IPv6.
 *
 * @returns `undefined` for a name that no certificate can contain
 */
export function canonicalName(host: string): string | undefined {
  const bare = bareHost(host.trim());
  if (isIPv4(bare)) return bare;
  return bare.includes(':') ? canonicalIPv6(bare) : canonicalDomain(bare);
}

function canonicalIPv6(address: string): string | undefined {
  // A URL refuses a zone (fe80::1%eth0), which only has a meaning on one machine.
  const url = `http://[${address}]`;
  const isValid = /^[\da-f:.]+$/i.test(address) && URL.canParse(url);
  return isValid ? new URL(url).hostname.slice(1, -1) : undefined;
}

function canonicalDomain(domain: string): string | undefined {
  // domainToASCII would cut the name at these characters or decode them instead of refusing them.
  if (/[\s/?#@%\\]/.test(domain)) return undefined;
  // Not for plain ASCII: domainToASCII reads 1.2.3 as 1.2.0.3.
  const ascii = /[^ -~]/.test(domain) ? domainToASCII(domain) : domain.toLowerCase();
  const name = ascii.replace(/\.$/, '');
  const labels = name.replace(/^\*\./, '').split('.');
  const wellFormed = name.length <= 253 && labels.every((label) => LABEL.test(label));
  // If the last label is a number, the name is a mistyped IPv4 address: 127.1, 10.0.0.256.
  return wellFormed && !/^\d+$/.test(labels.at(-1) ?? '') ? name : undefined;
}
