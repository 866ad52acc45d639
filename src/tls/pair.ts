import type { KeyObject, X509Certificate } from 'node:crypto';
import { makeBundle, parseBundle } from './bundle.ts';
import type { Certificate } from './certificate.ts';
import { namesOf } from './names.ts';
import { certificateBlocks, parseLeaf } from './pem.ts';
import { makeKey, pemOf } from './self-signed.ts';
import { unusable } from './unusable.ts';
import { expiryOf } from './validity.ts';

/** A certificate and the key that belongs to it, parsed. */
export interface Pair {
  /** PEM that begins with the certificate: a bundle, or the certificate and maybe its chain. */
  readonly text: string;
  readonly leaf: X509Certificate;
  readonly key: KeyObject;
}

/** Whether each of the names is literally in the certificate. */
export function covers(leaf: X509Certificate, names: readonly string[]): boolean {
  const named = new Set(namesOf(leaf));
  return names.every((name) => named.has(name));
}

/** A new pair that is on no disk. */
export async function makePair(names: readonly string[], now: Date): Promise<Pair> {
  const key = makeKey();
  const text = await makeBundle({ key, names, now });
  const leaf = parseLeaf(text);
  if (leaf) return { text, leaf, key };
  throw unusable('Failed to make a certificate: what was made cannot be parsed. Report it.');
}

/**
 * A pair as it is handed to the rest of momo-mock.
 *
 * @param file absolute path of the certificate's file, null for memory only
 * @param warnings sentences for the log; what is undefined is left out
 */
export function certificateOf(
  pair: Pair,
  file: string | null,
  warnings: readonly (string | undefined)[],
): Certificate {
  const warning = warnings.filter((sentence) => sentence !== undefined).join(' ');
  const cert = `${certificateBlocks(pair.text).join('\n')}\n`;
  return {
    cert,
    chain: parseBundle(pair.text)?.normal ?? cert,
    key: pemOf(pair.key),
    file,
    expiresAt: expiryOf(pair.leaf),
    ...(warning && { warning }),
  };
}
