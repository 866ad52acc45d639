import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;

/**
 * The certificates in a PEM text, one block each, in order. Everything else is omitted, so that
 * clients do not get a private key in the same file.
 */
export function certificateBlocks(text: string): string[] {
  return text.match(CERTIFICATE) ?? [];
}

export function certificatesIn(text: string): string {
  return certificateBlocks(text)
    .map((block) => `${block}\n`)
    .join('');
}

/** The first certificate of a PEM text, which is the server's. */
export function parseCertificate(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(certificateBlocks(text)[0] ?? '');
  } catch {
    return undefined;
  }
}

export function holdsPrivateKey(text: string): boolean {
  return PRIVATE_KEY.test(text);
}

export function isEncrypted(text: string): boolean {
  return text.includes('BEGIN ENCRYPTED PRIVATE KEY') || text.includes('Proc-Type: 4,ENCRYPTED');
}

export function parseKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    // The error may quote the key.
    return undefined;
  }
}

export function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
