import { type KeyObject, X509Certificate } from 'node:crypto';
import { clearInterval, setInterval, timeOfDay } from '../timers.ts';
import { canonicalName, certificateNames, isAddress, LOOPBACK_NAMES, namesOf } from './names.ts';
import { certificatesIn, pemOf } from './pem.ts';
import { isOurs, makeCertificate, makeKey, parseBundle } from './self-signed.ts';
import type { TlsMode } from './tls-mode.ts';
import { DAY_MS, expiryOf, validityWarning } from './validity.ts';

/** A certificate to serve, its key, and a warning for the user if there is one. */
export interface Certificate {
  /**
   * PEM for clients to trust: the bundle for the TLS modes, or the user's whole chain. The
   * certificate comes first. The key is never included.
   */
  readonly cert: string;
  /** PEM to serve in TLS mode `normal`: the certificate, or the user's whole chain. */
  readonly chain: string;
  /** PEM of the private key, PKCS #8. */
  readonly key: string;
  /** Absolute path of the file that contains `cert`; null if `cert` is in memory only. */
  readonly file: string | null;
  /** After this moment, clients refuse the certificate. */
  readonly expiresAt: Date;
  /** A warning for the log, for example that the certificate is in memory only or expires soon. */
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
 * @param file absolute path of the certificate's file, null if it is in memory only
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
 * The PEM of the certificate and key to serve in a TLS mode. A client that trusts `cert` refuses
 * `expired` as expired, `wrong-host` for its host name and `untrusted` as self-signed.
 *
 * The expired certificate and the one for the wrong host are in the bundle that momo-mock created. A
 * user's own certificate has no bundle, so clients trust none of the certificates created here and
 * refuse all three as self-signed. Only Node also checks the dates, and refuses `expired` as
 * expired.
 *
 * @param now the moment for which a missing certificate is created. @default the present
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
 * Whether a host and port belong to the service. A name on the certificate matches with any port,
 * because clients may have a built-in port. A loopback name matches only with the service's port,
 * because other programs listen on loopback too.
 *
 * @param url the URL of the service
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

/** Whether a certificate is valid for a host, by the rules of clients: wildcards match. */
function isNamedBy(
  { cert }: Pick<Certificate, 'cert'>,
  host: string,
): 'loopback' | 'elsewhere' | undefined {
  const name = canonicalName(host);
  if (name === undefined) return undefined;
  const leaf = new X509Certificate(cert);
  const match = isAddress(name) ? leaf.checkIP(name) : leaf.checkHost(name);
  if (match === undefined) return undefined;
  return LOOPBACK_NAMES.includes(name) ? 'loopback' : 'elsewhere';
}

/**
 * Checks once a day whether the served certificate expires soon or has expired, and warns.
 * A certificate is renewed only at a restart, so that the user chooses the moment: clients trust
 * the served one and would refuse another.
 *
 * @param warn receives a sentence for the log
 * @returns a function that ends the checks; they do not keep the process alive
 */
export function watchExpiry(
  { chain, file }: Pick<Certificate, 'chain' | 'file'>,
  warn: (sentence: string) => void,
): () => void {
  const timer = setInterval(() => {
    const leaf = new X509Certificate(chain);
    const sentence = validityWarning(leaf, file ?? 'memory', new Date(timeOfDay()));
    if (sentence === undefined) return;
    const fix = isOurs(leaf)
      ? 'Restart momo-mock to make a new one, and let the clients trust it.'
      : 'Then restart momo-mock, so that it reads the new one.';
    warn(`${sentence} ${fix}`);
  }, DAY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
