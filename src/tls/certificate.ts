import { type KeyObject, X509Certificate } from 'node:crypto';
import { clearInterval, setInterval, timeOfDay } from '../timers.ts';
import { canonicalName, certificateNames, isAddress, LOOPBACK_NAMES, namesOf } from './names.ts';
import { certificatesIn, pemOf } from './pem.ts';
import { isOurs, makeCertificate, makeKey, parseBundle } from './self-signed.ts';
import type { TlsMode } from './tls-mode.ts';
import { DAY_MS, expiryOf, validityWarning } from './validity.ts';

/** A certificate to serve with, its key, and what the user has to know about it. */
export interface Certificate {
  /**
   * PEM to trust, which begins with the certificate: the bundle for the TLS modes, or the user's
   * whole chain. It never holds the key.
   */
  readonly cert: string;
  /** PEM to serve in TLS mode `normal`: the certificate, or the user's whole chain. */
  readonly chain: string;
  /** PEM of the private key, PKCS #8. */
  readonly key: string;
  /** Absolute path of the file that holds `cert`; null if it is in memory only. */
  readonly file: string | null;
  /** The moment after which clients refuse the certificate. */
  readonly expiresAt: Date;
  /** For the log, if something is not as it should be: memory only, near its end. */
  readonly warning?: string;
}

/** A certificate and its private key, parsed. */
export interface Pair {
  /** PEM that begins with the certificate: a bundle, or the certificate with or without its chain. */
  readonly text: string;
  readonly leaf: X509Certificate;
  readonly key: KeyObject;
}

/**
 * The certificate of a pair.
 *
 * @param file absolute path of the certificate's file, null for memory only
 * @param warnings sentences for the log; undefined ones are left out
 */
export function certificateOf(
  { text, leaf, key }: Pair,
  file: string | null,
  warnings: readonly (string | undefined)[] = [],
): Certificate {
  const warning = warnings.filter((sentence) => sentence !== undefined).join(' ');
  const cert = certificatesIn(text);
  return {
    cert,
    chain: parseBundle(cert)?.normal ?? cert,
    key: pemOf(key),
    file,
    expiresAt: expiryOf(leaf),
    ...(warning && { warning }),
  };
}

/**
 * The PEM of the certificate, and of its key, to serve in a TLS mode. A client that trusts `certificate.cert` refuses `expired` as
 * expired, `wrong-host` for its host name and `untrusted` as self-signed.
 *
 * The expired certificate and the one for the wrong host are in the bundle that momo-mock made. For
 * a user's own certificate there is no bundle, and clients trust nothing that momo-mock makes: they
 * refuse all three as self-signed (but Node also checks the dates and refuses `expired` as
 * expired).
 *
 * @param now the moment for which a missing certificate is made. @default the present
 */
export async function credentialsFor(
  { cert, chain, key }: Pick<Certificate, 'cert' | 'chain' | 'key'>,
  mode: TlsMode,
  now: Date = new Date(timeOfDay()),
): Promise<Pick<Certificate, 'cert' | 'key'>> {
  if (mode === 'normal') return { cert: chain, key };
  const bundled = parseBundle(cert)?.[mode];
  if (bundled !== undefined) return { cert: bundled, key };
  const names = certificateNames(namesOf(new X509Certificate(chain)));
  const newKey = makeKey();
  return { cert: await makeCertificate(mode, { key: newKey, names, now }), key: pemOf(newKey) };
}

/**
 * Whether a host and port stand for the service: its names do with any port, since a base URL may
 * be built in with one, but loopback, where other programs are, at the service's own port only.
 *
 * @param url of the service
 * @param host a DNS name or an address, with or without brackets
 */
export function isService(
  certificate: Pick<Certificate, 'cert'>,
  url: string,
  host: string,
  port: number,
): boolean {
  const place = isNamedBy(certificate, host);
  return place === 'elsewhere' || (place === 'loopback' && port === Number(new URL(url).port));
}

/** Whether a certificate is for a host, as clients decide it: wildcards match. */
function isNamedBy(
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

/**
 * Checks once a day whether the certificate that is served is near its end, or past it, and warns.
 * It is renewed only at a restart: clients trust the one that is served and would refuse another,
 * so the user chooses the moment.
 *
 * @param warn gets a sentence for the log
 * @returns a function that ends the watch; the watch keeps no process alive
 */
export function watchExpiry(
  { chain, file }: Pick<Certificate, 'chain' | 'file'>,
  warn: (sentence: string) => void,
): () => void {
  const leaf = new X509Certificate(chain);
  const fix = isOurs(leaf)
    ? 'A restart of momo-mock makes another, which clients have to trust then.'
    : 'momo-mock reads it again at a restart.';
  const timer = setInterval(() => {
    const sentence = validityWarning(leaf, file ?? 'memory', new Date(timeOfDay()));
    if (sentence !== undefined) warn(`${sentence} ${fix}`);
  }, DAY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
