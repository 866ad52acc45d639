import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type X509Certificate,
} from 'node:crypto';
import { isAddress } from './names.ts';
import { certificateBlocks, parseCertificate, pemOf } from './pem.ts';
import type { TlsMode } from './tls-mode.ts';
import { DAY_MS } from './validity.ts';

/** The longest validity, in days, that strict clients accept (CA/Browser Forum). */
export const VALIDITY_DAYS = 397;
/** How far in ms the clock of a client may be behind. */
const CLOCK_SKEW_MS = 3_600_000;
/** The only name in the certificate for the wrong host. RFC 6761: no host has this name. */
const WRONG_HOST = 'wrong-host.invalid';

// Different for each mode, so that a person who looks at a refused certificate sees why.
const COMMON_NAMES: Readonly<Record<TlsMode, string>> = {
  normal: 'momo-mock',
  expired: 'momo-mock expired',
  'wrong-host': 'momo-mock wrong host',
  untrusted: 'momo-mock untrusted',
};

/** The modes of a bundle in their order: a program that reads the first block gets `normal`. */
const BUNDLED: readonly TlsMode[] = ['normal', 'expired', 'wrong-host'];

/** What a certificate is made from. */
export interface CertificateRequest {
  /** EC P-256 */
  readonly key: KeyObject;
  /** DNS names and IP addresses, as `certificateNames` spells them. */
  readonly names: readonly string[];
  /** The moment at which the certificate has to be valid, or expired for a day. */
  readonly now: Date;
}

/** A new private key, EC P-256. */
export function makeKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** Whether certificates can be made with a key: it is EC P-256. */
export function isSigningKey(key: KeyObject): boolean {
  return key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

/** Whether momo-mock made a certificate, and so may replace it. */
export function isOurs(leaf: X509Certificate): boolean {
  return isOfMode(leaf, 'normal');
}

/** The self-signed certificate for a TLS mode, as PEM. For `untrusted`, pass a new key. */
export async function makeCertificate(
  mode: TlsMode,
  { key, names, now }: CertificateRequest,
): Promise<string> {
  // Loaded only when there is a certificate to make: it takes longer than the rest of a start.
  const { generate } = await import('selfsigned');
  const hosts = mode === 'wrong-host' ? [WRONG_HOST] : names;
  const age = mode === 'expired' ? (VALIDITY_DAYS + 1) * DAY_MS : CLOCK_SKEW_MS;
  // Certificates count whole seconds, and both ends belong to the validity.
  const start = Math.floor((now.getTime() - age) / 1000) * 1000;
  const publicKey = createPublicKey(key);
  const { cert } = await generate([{ name: 'commonName', value: commonName(mode, publicKey) }], {
    keyType: 'ec',
    algorithm: 'sha256',
    keyPair: {
      privateKey: pemOf(key),
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    },
    notBeforeDate: new Date(start),
    notAfterDate: new Date(start + VALIDITY_DAYS * DAY_MS - 1000),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: hosts.map((host) =>
          isAddress(host) ? { type: 7, ip: host } : { type: 2, value: host },
        ),
      },
    ],
  });
  return `${cert.trimEnd()}\n`;
}

/**
 * The PEM for clients to trust: the certificate, an expired one and one for the wrong host. All are
 * self-signed with the same key, and none is a CA.
 *
 * A client reports that a certificate has expired, or is for another host, only if it trusts it
 * otherwise. A CA that signs the wrong ones would do too, but a client that trusts a CA trusts
 * everything that the CA ever signs. Trusting these two is harmless: they name the same hosts as
 * the certificate, or a host that cannot exist, and have the same key.
 *
 * Java is the exception: it accepts a certificate that is itself in its trust store whatever the
 * date. `keytool` imports only the first of a file, and then Java refuses the others as unknown.
 */
export async function makeBundle(request: CertificateRequest): Promise<string> {
  const blocks = await Promise.all(BUNDLED.map((mode) => makeCertificate(mode, request)));
  return blocks.join('');
}

/**
 * The certificates of the bundle that a PEM text begins with, by TLS mode; undefined if the text is
 * no bundle, such as a user's own certificate.
 */
export function parseBundle(text: string): Partial<Record<TlsMode, string>> | undefined {
  const blocks = certificateBlocks(text);
  const [first, ...rest] = BUNDLED.map((mode, index) => {
    const certificate = parseCertificate(blocks[index] ?? '');
    return certificate && isOfMode(certificate, mode) ? certificate : undefined;
  });
  if (!first || !rest.every((other) => other?.publicKey.equals(first.publicKey))) return undefined;
  return Object.fromEntries(BUNDLED.map((mode, index) => [mode, `${blocks[index]}\n`]));
}

/**
 * The subject of a certificate. OpenSSL and others look a certificate up in their trust store by it
 * and compare the first one alone, so it is different for each key: a client can trust two mocks.
 */
function commonName(mode: TlsMode, publicKey: KeyObject): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const id = createHash('sha256').update(spki).digest('hex').slice(0, 16);
  return `${COMMON_NAMES[mode]} ${id}`;
}

function isOfMode({ subject, publicKey }: X509Certificate, mode: TlsMode): boolean {
  // Certificates that earlier versions made have no id.
  return [COMMON_NAMES[mode], commonName(mode, publicKey)].some((name) => subject === `CN=${name}`);
}
