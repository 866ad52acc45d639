import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { timeOfDay } from '../timers.ts';
import { type Certificate, certificateOf } from './certificate.ts';
import { certificateError, reasonOf } from './certificate-error.ts';
import {
  certificateBlocks,
  holdsPrivateKey,
  isEncrypted,
  parseCertificate,
  parseKey,
} from './pem.ts';
import { validityWarning } from './validity.ts';

const CERT = 'MOMO_MOCK_TLS_CERT_FILE';
const KEY = 'MOMO_MOCK_TLS_KEY_FILE';

/**
 * Accepts an expired certificate with a warning, because a test may check that a client refuses it.
 *
 * @param options.now when it should be valid. @default the present
 */
export async function userCertificate(options: {
  certFile: string;
  keyFile: string;
  now?: Date;
}): Promise<Certificate> {
  const [certFile, keyFile] = [resolve(options.certFile), resolve(options.keyFile)];
  const text = read(certFile, CERT);
  const keyText = read(keyFile, KEY);
  const blocks = certificateBlocks(text);
  if (blocks.length === 0 && holdsPrivateKey(text) && certificateBlocks(keyText).length > 0) {
    throw certificateError(
      `Failed to use ${certFile} as certificate: it contains the key, and ${keyFile} contains the certificate. Swap ${CERT} and ${KEY}.`,
    );
  }
  const chain = blocks.map((block, index) => {
    const certificate = parseCertificate(block);
    if (certificate) return certificate;
    throw certificateError(
      `Failed to use ${certFile}: certificate ${index + 1} in it cannot be parsed. Correct ${CERT}.`,
    );
  });
  const [leaf] = chain;
  if (leaf === undefined) {
    const content = holdsPrivateKey(text)
      ? 'a private key and no certificate'
      : 'no PEM certificate';
    throw certificateError(
      `Failed to use ${certFile}: it contains ${content}. Set ${CERT} to a PEM file. To convert a DER file: openssl x509 -inform der -in ${certFile} -out cert.pem`,
    );
  }
  const key = keyOf(keyFile, keyText);
  const owner = chain.findIndex((certificate) => certificate.checkPrivateKey(key));
  if (owner !== 0) {
    throw certificateError(
      owner > 0
        ? `Failed to use ${certFile}: the certificate for the key in ${keyFile} is not the first one in the file. Put it first, followed by the certificates that signed it.`
        : `Failed to use ${certFile}: the key in ${keyFile} does not belong to it. Set ${CERT} and ${KEY} to a matching pair.`,
    );
  }
  const warning = validityWarning(leaf, certFile, options.now ?? new Date(timeOfDay()));
  const certificate = certificateOf(text, key, certFile, [warning]);
  assertServable(certificate, certFile);
  return certificate;
}

function read(file: string, setting: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw certificateError(
      `Failed to read ${file}: ${reasonOf(error)}. Correct ${setting}.`,
      error,
    );
  }
  // UTF-8 or UTF-16. Clients that trust the file cannot read it.
  if (!/^(?:\uFEFF|\uFFFD\uFFFD)/.test(text)) return text;
  throw certificateError(
    `Failed to use ${file}: it begins with a byte order mark. Save it as UTF-8 without one.`,
  );
}

function keyOf(file: string, text: string): KeyObject {
  if (isEncrypted(text)) {
    throw certificateError(
      `Failed to use ${file}: its key is encrypted, and passphrases are not supported. Remove the passphrase with openssl pkey -in ${file} -out key.pem, and set ${KEY} to key.pem.`,
    );
  }
  const key = parseKey(text);
  if (key) return key;
  const content =
    certificateBlocks(text).length > 0 ? 'a certificate and no private key' : 'no PEM private key';
  throw certificateError(
    `Failed to use ${file}: it contains ${content}. Set ${KEY} to a PEM file.`,
  );
}

function assertServable(certificate: Certificate, file: string): void {
  try {
    // Like the server, without root certificates.
    createSecureContext({ cert: certificate.chain, key: certificate.key, ca: [] });
  } catch (error) {
    // The error does not quote the certificate or the key.
    throw certificateError(
      `Failed to use ${file}: TLS refuses the pair (${reasonOf(error)}). Set ${CERT} and ${KEY} to a pair that is strong enough, such as EC P-256 or RSA with 2048 bits.`,
    );
  }
}
