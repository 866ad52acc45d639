import { X509Certificate } from 'node:crypto';
import { timeOfDay } from '../timers.ts';
import { type Certificate, certificateOf } from './certificate.ts';
import { certificateNames } from './names.ts';
import { makeBundle, makeKey } from './self-signed.ts';
import { phaseOf } from './validity.ts';

// Kept, because signing takes longer than the rest of a start, and a test process may start a
// hundred mocks.
const made = new Map<string, Promise<Made>>();

interface Made {
  readonly certificate: Certificate;
  readonly leaf: X509Certificate;
}

/**
 * Makes a certificate that is not on disk. Within a process, the same hosts share a certificate
 * until it expires soon.
 *
 * @param options.hosts names besides localhost, 127.0.0.1 and ::1: DNS names, wildcards, addresses
 * @param options.now the moment at which it must be valid. @default the present
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for an invalid host name
 */
export async function makeCertificateInMemory(options: {
  hosts: readonly string[];
  now?: Date;
}): Promise<Certificate> {
  const { hosts, now = new Date(timeOfDay()) } = options;
  const names = certificateNames(hosts);
  const id = [...names].sort().join();
  for (;;) {
    const current = made.get(id);
    const kept = await current;
    if (kept && phaseOf(kept.leaf, now) === 'good') return kept.certificate;
    // Another caller may have replaced it during the await.
    if (made.get(id) === current) {
      const next = make(names, now);
      next.catch(() => made.delete(id));
      made.set(id, next);
    }
  }
}

async function make(names: readonly string[], now: Date): Promise<Made> {
  const key = makeKey();
  const text = await makeBundle({ key, names, now });
  const leaf = new X509Certificate(text);
  return { certificate: certificateOf({ text, leaf, key }, null), leaf };
}
