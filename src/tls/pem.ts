import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;

/**
 * The certificates in a PEM text, one block each, in their order. Everything else is left out: a
 * file that also holds the key must not give it away when the certificate is handed to a client.
 */
export function certificateBlocks(text: string): string[] {
  return text.match(CERTIFICATE) ?? [];
}

/** The first certificate of a PEM text, which is the server's, or undefined. */
export function parseLeaf(text: string): X509Certificate | undefined {
  return certificateBlocks(text).slice(0, 1).map(parseBlock)[0];
}

/** One certificate block parsed, or undefined. */
export function parseBlock(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}

/** Whether a PEM text has a private key of any kind in it. */
export function holdsPrivateKey(text: string): boolean {
  return PRIVATE_KEY.test(text);
}

/** Whether the private key in a PEM text needs a passphrase. */
export function isEncrypted(text: string): boolean {
  return text.includes('BEGIN ENCRYPTED PRIVATE KEY') || text.includes('Proc-Type: 4,ENCRYPTED');
}

/** The private key in a PEM text, or undefined. Says nothing about why: the text is a secret. */
export function parseKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}
