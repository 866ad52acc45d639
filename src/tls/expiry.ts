import { X509Certificate } from 'node:crypto';
import type { Certificate } from './certificate.ts';
import { isOurs } from './kept-pair.ts';
import { DAY_MS, validityWarning } from './validity.ts';

/**
 * Looks once a day whether the certificate that is served is near its end, or over it, and warns.
 * It is not renewed meanwhile: a client that trusts the one that is served would refuse another, so
 * that is for a restart, at a moment that the user chooses.
 *
 * @param warn gets a sentence for the log
 * @returns a function that ends it; it keeps no process alive
 */
export function watchExpiry(
  certificate: Certificate,
  warn: (sentence: string) => void,
): () => void {
  const look = (): void => {
    const leaf = new X509Certificate(certificate.chain);
    const sentence = validityWarning(leaf, certificate.file ?? 'memory', new Date());
    if (sentence === undefined) return;
    const mend = isOurs(leaf)
      ? 'A restart of momo-mock makes another, which clients have to trust then.'
      : 'momo-mock reads it again at a restart.';
    warn(`${sentence} ${mend}`);
  };
  const timer = setInterval(look, DAY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
