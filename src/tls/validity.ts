import type { X509Certificate } from 'node:crypto';

/** Days before its end from which a certificate counts as near its end. */
export const RENEWAL_DAYS = 14;

/** Milliseconds in a day. */
export const DAY_MS = 86_400_000;

/** Where a moment lies in a certificate's validity. */
export type Phase = 'not-yet' | 'good' | 'near-end' | 'expired';

/** The last moment at which a certificate is valid. */
export function expiryOf(certificate: X509Certificate): Date {
  return new Date(certificate.validTo);
}

/** Where `now` lies in the certificate's validity. */
export function phaseOf(certificate: X509Certificate, now: Date): Phase {
  const left = expiryOf(certificate).getTime() - now.getTime();
  if (left < 0) return 'expired';
  if (now.getTime() < new Date(certificate.validFrom).getTime()) return 'not-yet';
  return left <= RENEWAL_DAYS * DAY_MS ? 'near-end' : 'good';
}

/**
 * A sentence for the log about a certificate that clients refuse or soon will, and undefined for a
 * good one.
 *
 * @param file the file to name
 */
export function validityWarning(
  certificate: X509Certificate,
  file: string,
  now: Date,
): string | undefined {
  const end = expiryOf(certificate).toISOString();
  switch (phaseOf(certificate, now)) {
    case 'expired':
      return `The certificate in ${file} expired at ${end}: clients that verify it refuse it. Renew it.`;
    case 'not-yet':
      return `The certificate in ${file} is not valid before ${new Date(certificate.validFrom).toISOString()}: clients that verify it refuse it. Check the clock, or replace it.`;
    case 'near-end':
      return `The certificate in ${file} expires at ${end}: clients that verify it refuse it from then on. Renew it.`;
    case 'good':
      return undefined;
  }
}
