import type { KeyObject } from 'node:crypto';
import type { TlsMode } from './mode.ts';
import { makeModeCertificate, subjectOf } from './mode-certificate.ts';
import { certificateBlocks, parseBlock } from './pem.ts';

// In this order: who reads the first block of the file has the certificate that is served.
const BUNDLED: readonly TlsMode[] = ['normal', 'expired', 'wrong-host'];

/** A PEM block for each mode in which a client trusts the certificate but for one thing. */
export type Bundle = Readonly<Partial<Record<TlsMode, string>>>;

/**
 * The PEM for clients to trust: the certificate, an expired one and one for the wrong host, all
 * self-signed with the same key, and none of them a CA.
 *
 * A client says that a certificate has expired, or is for another host, only of one that it trusts
 * otherwise. A CA to sign the wrong ones would do that too, but whoever trusts a CA trusts all that
 * it ever signs. These two give nothing away: they name what the certificate names already, or a
 * host that cannot be, and their key is that of the certificate.
 *
 * Java is the exception: it takes a certificate that is itself in its trust store whatever the
 * date. `keytool` imports the first of a file alone, and then Java refuses the others as unknown.
 */
export async function makeBundle(options: {
  key: KeyObject;
  names: readonly string[];
  now: Date;
}): Promise<string> {
  const blocks = await Promise.all(BUNDLED.map((mode) => makeModeCertificate(mode, options)));
  return blocks.join('');
}

/**
 * The bundle that a PEM text begins with, or undefined where that is something else: a user's own
 * certificate, or one that momo-mock made before there were bundles.
 */
export function parseBundle(text: string): Bundle | undefined {
  const blocks = certificateBlocks(text);
  const [first, ...rest] = BUNDLED.map((mode, index) => {
    const certificate = parseBlock(blocks[index] ?? '');
    return certificate?.subject === subjectOf(mode) ? certificate : undefined;
  });
  if (!first || !rest.every((other) => other?.publicKey.equals(first.publicKey))) return undefined;
  return Object.fromEntries(BUNDLED.map((mode, index) => [mode, `${blocks[index]}\n`]));
}
