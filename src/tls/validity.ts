import type { X509Certificate } from 'node:crypto';
import { clearInterval, setInterval, timeOfDay } from '../timers.ts';
import { DAY_MS, isOurs } from './self-signed.ts';

export const RENEWAL_DAYS = 14;

export function expiryOf(certificate: X509Certificate): Date {
  return new Date(certificate.validTo);
}

export function phaseOf(
  certificate: X509Certificate,
  now: Date,
): 'not-yet' | 'good' | 'near-end' | 'expired' {
  const left = expiryOf(certificate).getTime() - now.getTime();
  if (left < 0) return 'expired';
  if (now.getTime() < new Date(certificate.validFrom).getTime()) return 'not-yet';
  return left <= RENEWAL_DAYS * DAY_MS ? 'near-end' : 'good';
}

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

/**
 * Warns once a day if the certificate expires soon. It is renewed only at startup, so that the user
 * chooses the moment: clients trust the served one and would refuse another.
 *
 * @returns a function that ends the checks
 */
export function watchExpiry(
  { leaf, file }: { leaf: X509Certificate; file: string | null },
  warn: (sentence: string) => void,
): () => void {
  const fix = isOurs(leaf)
    ? 'Restart momo-mock to create a new one, and make the clients trust it.'
    : 'Then restart momo-mock to load it.';
  const timer = setInterval(() => {
    const sentence = validityWarning(leaf, file ?? 'memory', new Date(timeOfDay()));
    if (sentence !== undefined) warn(`${sentence} ${fix}`);
  }, DAY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
