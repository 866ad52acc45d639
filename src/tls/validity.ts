import type { X509Certificate } from 'node:crypto';

/** A certificate is renewed in its last days. */
export const RENEWAL_DAYS = 14;

export const DAY_MS = 86_400_000;

export type Phase = 'not-yet' | 'good' | 'near-end' | 'expired';

export function expiryOf(certificate: X509Certificate): Date {
  return new Date(certificate.validTo);
}

export function phaseOf(certificate: X509Certificate, now: Date): Phase {
  const left = expiryOf(certificate).getTime() - now.getTime();
  if (left < 0) return 'expired';
  if (now.getTime() < new Date(certificate.validFrom).getTime()) return 'not-yet';
  return left <= RENEWAL_DAYS * DAY_MS ? 'near-end' : 'good';
}

/**
 * A warning about a certificate that clients refuse or will refuse soon; undefined for a good one.
 *
 * @param file the path of the certificate, for the message
 */
export function validityWarning(
  certificate: X509Certificate,
  file: string,
  now: Date,
): string | undefined {
  const end = expiryOf(certificate).toISOString();
  switch (phaseOf(certificate, now)) {
    case 'expired':
      return `The certificate in ${file} expired at ${end}: clients that verify it refuse it. Renew the certificate.`;
    case 'not-yet':
      return `The certificate in ${file} is not valid before ${new Date(certificate.validFrom).toISOString()}: clients that verify it refuse it. Check the clock, or replace the certificate.`;
    case 'near-end':
      return `The certificate in ${file} expires at ${end}: clients that verify it will then refuse it. Renew the certificate.`;
    case 'good':
      return undefined;
  }
}
