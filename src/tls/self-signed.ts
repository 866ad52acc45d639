import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import { certificateBlocks, parseCertificate, pemOf } from './pem.ts';
import type { MomoTlsMode } from './tls-mode.ts';

export const DAY_MS = 86_400_000;
/** The maximum that strict clients accept (CA/Browser Forum). */
const VALIDITY_DAYS = 397;
/** How far a client's clock may be behind. */
const CLOCK_SKEW_MS = 3_600_000;
/** The only name in the certificate for the wrong host. RFC 6761 reserves it: no host has it. */
const WRONG_HOST = 'wrong-host.invalid';

/** The modes in a bundle. `normal` is first, for programs that read only the first block. */
const BUNDLED: readonly MomoTlsMode[] = ['normal', 'expired', 'wrong-host'];

interface CertificateRequest {
  readonly key: KeyObject;
  /** They have the form of `certificateNames`. */
  readonly names: readonly string[];
  /** When the certificate is valid, or has been expired for a day. */
  readonly now: Date;
}

export function createKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** momo-mock may replace such a certificate. */
export function isOurs(leaf: X509Certificate): boolean {
  return isOfMode(leaf, 'normal');
}

/** Creates the self-signed certificate for a TLS mode, as PEM. For `untrusted`, pass a new key. */
export async function createCertificate(
  mode: MomoTlsMode,
  { key, names, now }: CertificateRequest,
): Promise<string> {
  // Loading it takes longer than the rest of startup.
  const { generate } = await import('selfsigned');
  const hosts = mode === 'wrong-host' ? [WRONG_HOST] : names;
  const age = mode === 'expired' ? (VALIDITY_DAYS + 1) * DAY_MS : CLOCK_SKEW_MS;
  // Certificates count whole seconds, and their validity includes both ends.
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
          isIP(host) !== 0 ? { type: 7, ip: host } : { type: 2, value: host },
        ),
      },
    ],
  });
  return `${cert.trimEnd()}\n`;
}

/**
 * Creates the PEM for clients to trust: the certificate, an expired one and one for the wrong host.
 * All are self-signed with the same key, and none is a CA.
 *
 * A client reports that a certificate is expired, or for another host, only if it would otherwise
 * trust it. A CA could sign these certificates instead, but a client that trusts a CA trusts
 * everything that the CA ever signs. Trusting these two is harmless: they have the same key and
 * the same hosts as the certificate, or a host that cannot exist.
 *
 * Java is an exception: it accepts a certificate in its trust store whatever the date. But
 * `keytool` imports only the first certificate of a file, so Java refuses the others as unknown.
 */
export async function createBundle(request: CertificateRequest): Promise<string> {
  const blocks = await Promise.all(BUNDLED.map((mode) => createCertificate(mode, request)));
  return blocks.join('');
}

/** The certificates by TLS mode; undefined for another PEM text, such as the user's. */
export function parseBundle(text: string): Partial<Record<MomoTlsMode, string>> | undefined {
  const blocks = certificateBlocks(text);
  const [first, ...rest] = BUNDLED.map((mode, index) => {
    const certificate = parseCertificate(blocks[index] ?? '');
    return certificate && isOfMode(certificate, mode) ? certificate : undefined;
  });
  if (!first || !rest.every((other) => other?.publicKey.equals(first.publicKey))) return undefined;
  return Object.fromEntries(BUNDLED.map((mode, index) => [mode, `${blocks[index]}\n`]));
}

/**
 * The subject of a certificate. It names the mode, so that somebody who looks at a refused certificate
 * sees why. It differs for each key, so that a client can trust two mocks: OpenSSL and others look a
 * certificate up by its subject, and compare only the first match.
 */
function commonName(mode: MomoTlsMode, publicKey: KeyObject): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const id = createHash('sha256').update(spki).digest('hex').slice(0, 16);
  return mode === 'normal' ? `momo-mock ${id}` : `momo-mock ${mode.replace('-', ' ')} ${id}`;
}

function isOfMode({ subject, publicKey }: X509Certificate, mode: MomoTlsMode): boolean {
  return subject === `CN=${commonName(mode, publicKey)}`;
}
