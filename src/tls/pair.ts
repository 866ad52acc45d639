import type { KeyObject, X509Certificate } from 'node:crypto';
import type { Certificate } from './certificate.ts';
import { namesOf } from './names.ts';
import { certificateBlocks } from './pem.ts';
import { pemOf } from './self-signed.ts';
import { expiryOf } from './validity.ts';

/** A certificate and the key that belongs to it, parsed. */
export interface Pair {
  /** PEM that holds the certificate, and maybe its chain. */
  readonly text: string;
  readonly leaf: X509Certificate;
  readonly key: KeyObject;
}

/** Whether each of the names is literally in the certificate. */
export function covers(leaf: X509Certificate, names: readonly string[]): boolean {
  const named = new Set(namesOf(leaf));
  return names.every((name) => named.has(name));
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
  return {
    cert: `${certificateBlocks(pair.text).join('\n')}\n`,
    key: pemOf(pair.key),
    file,
    expiresAt: expiryOf(pair.leaf),
    ...(warning && { warning }),
  };
}
