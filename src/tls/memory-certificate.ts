import { timeOfDay } from '../timers.ts';
import { type Certificate, certificateOf } from './certificate.ts';
import { certificateNames } from './names.ts';
import { createBundle, createKey } from './self-signed.ts';
import { phaseOf } from './validity.ts';

// By host names. Signing takes longer than the rest of startup, and a test process may start a
// hundred mocks.
const certificates = new Map<string, Promise<Certificate>>();

/**
 * @param options.hosts names besides the loopback names
 * @param options.now when it must be valid. @default the present
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for an invalid host name
 */
export async function memoryCertificate(options: {
  hosts: readonly string[];
  now?: Date;
}): Promise<Certificate> {
  const { hosts, now = new Date(timeOfDay()) } = options;
  const names = certificateNames(hosts);
  const id = [...names].sort().join();
  const current = certificates.get(id);
  if (current !== undefined && phaseOf((await current).leaf, now) === 'good') return current;
  const next = create(names, now);
  next.catch(() => certificates.delete(id));
  certificates.set(id, next);
  return next;
}

async function create(names: readonly string[], now: Date): Promise<Certificate> {
  const key = createKey();
  return certificateOf(await createBundle({ key, names, now }), key, null);
}
