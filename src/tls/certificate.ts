import { type KeyObject, X509Certificate } from 'node:crypto';
import { timeOfDay } from '../timers.ts';
import { canonicalName, certificateNames, isValidFor, LOOPBACK_NAMES } from './names.ts';
import { certificatesIn, pemOf } from './pem.ts';
import { createBundle, createKey, parseBundle } from './self-signed.ts';
import { expiryOf, phaseOf } from './validity.ts';

export interface Certificate {
  /** PEM for clients to trust, the leaf first: the bundle, or the user's whole chain. */
  readonly cert: string;
  /** PEM to serve in TLS mode `normal`: the leaf, or the user's chain. */
  readonly chain: string;
  readonly leaf: X509Certificate;
  /** PEM, PKCS #8. */
  readonly key: string;
  /** The absolute path of the file that contains `cert`; null if it is in memory only. */
  readonly file: string | null;
  readonly expiresAt: Date;
  /** For the log, for example that the certificate is in memory only or expires soon. */
  readonly warning?: string;
}

export function certificateOf(
  text: string,
  key: KeyObject,
  file: string | null,
  warnings: readonly (string | undefined)[] = [],
): Certificate {
  const warning = warnings.filter((sentence) => sentence !== undefined).join(' ');
  const cert = certificatesIn(text);
  const leaf = new X509Certificate(cert);
  return {
    cert,
    chain: parseBundle(cert)?.normal ?? cert,
    leaf,
    key: pemOf(key),
    file,
    expiresAt: expiryOf(leaf),
    ...(warning && { warning }),
  };
}

/**
 * Whether a host and port belong to the service. A name on the certificate matches with any port,
 * because clients may have a built-in port. A loopback name matches only with the service's port,
 * because other programs listen on loopback too.
 */
export function isService(
  { leaf }: Pick<Certificate, 'leaf'>,
  url: string,
  host: string,
  port: number,
): boolean {
  const name = canonicalName(host);
  if (name === undefined || !isValidFor(leaf, name)) return false;
  return !LOOPBACK_NAMES.includes(name) || port === Number(new URL(url).port);
}

// By host names. Signing takes longer than the rest of startup, and a test process may start a
// hundred mocks.
const certificates = new Map<string, Promise<Certificate>>();

/**
 * @param options.hosts names besides the loopback names
 * @param options.now when it must be valid. @default the present
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
  const key = createKey();
  const next = createBundle({ key, names, now }).then((text) => certificateOf(text, key, null));
  next.catch(() => certificates.delete(id));
  certificates.set(id, next);
  return next;
}
