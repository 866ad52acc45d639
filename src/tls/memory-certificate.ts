import type { X509Certificate } from 'node:crypto';
import type { Certificate } from './certificate.ts';
import { certificateNames } from './names.ts';
import { certificateOf, makePair } from './pair.ts';
import { phaseOf } from './validity.ts';

// Signing is slow beside the rest of a start, and a test process may start a hundred mocks.
const made = new Map<string, Promise<Made>>();

interface Made {
  readonly certificate: Certificate;
  readonly parsed: X509Certificate;
}

/**
 * A certificate that is on no disk. It is made once in a process for the same hosts, and again
 * only when it is near its end.
 *
 * @param options.hosts names beside localhost, 127.0.0.1 and ::1: DNS names, wildcards, addresses
 * @param options.now the moment it has to be valid at. @default the present
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for a host that is no name
 */
export async function makeCertificateInMemory(options: {
  hosts: readonly string[];
  now?: Date;
}): Promise<Certificate> {
  const { hosts, now = new Date() } = options;
  const names = certificateNames(hosts);
  const id = [...names].sort().join();
  for (;;) {
    const there = made.get(id);
    const found = await there;
    if (found && phaseOf(found.parsed, now) === 'good') return found.certificate;
    // Who asked at the same time may have begun one meanwhile: that is looked at next.
    if (made.get(id) === there) made.set(id, make(id, names, now));
  }
}

async function make(id: string, names: readonly string[], now: Date): Promise<Made> {
  try {
    const pair = await makePair(names, now);
    return { certificate: certificateOf(pair, null, []), parsed: pair.leaf };
  } catch (error) {
    made.delete(id);
    throw error;
  }
}
