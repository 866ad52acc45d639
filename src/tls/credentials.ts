import { parseBundle } from './bundle.ts';
import type { Certificate } from './certificate.ts';
import type { TlsMode } from './mode.ts';
import { makeModeCertificate } from './mode-certificate.ts';
import { certificateNames, namesOf } from './names.ts';
import { parseLeaf } from './pem.ts';
import { makeKey, pemOf } from './self-signed.ts';

/** What a TLS server serves with. */
export interface Credentials {
  /** PEM of the certificate, and of what signed it. */
  readonly cert: string;
  /** PEM of its private key. */
  readonly key: string;
}

/**
 * What to serve with in a TLS mode. A client that trusts `certificate.cert` refuses `expired` as
 * expired, `wrong-host` for its host name and `untrusted` as self-signed.
 *
 * The expired certificate and the one for the wrong host are in the bundle of a certificate that
 * momo-mock made. For the user's own, nothing that momo-mock could make is trusted by anybody, so
 * that clients refuse all three as self-signed (Node, which goes on to look at the dates, the
 * expired one as expired).
 *
 * @param now the moment for which a certificate is made where none is there. @default the present
 */
export async function credentialsFor(
  certificate: Pick<Certificate, 'cert' | 'chain' | 'key'>,
  mode: TlsMode,
  now: Date = new Date(),
): Promise<Credentials> {
  const { cert, chain, key } = certificate;
  if (mode === 'normal') return { cert: chain, key };
  const bundled = parseBundle(cert)?.[mode];
  if (bundled !== undefined) return { cert: bundled, key };
  const leaf = parseLeaf(chain);
  const names = certificateNames(leaf ? namesOf(leaf) : []);
  const made = makeKey();
  return { cert: await makeModeCertificate(mode, { key: made, names, now }), key: pemOf(made) };
}
