import type { KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Certificate } from './certificate.ts';
import { certificateOf, type Pair } from './pair.ts';
import { certificateBlocks, holdsPrivateKey, isEncrypted, parseBlock, parseKey } from './pem.ts';
import { reasonOf, unusable } from './unusable.ts';
import { validityWarning } from './validity.ts';

const CERT = 'MOMO_MOCK_TLS_CERT_FILE';
const KEY = 'MOMO_MOCK_TLS_KEY_FILE';

/**
 * A certificate of the user's own, with its key. An expired one is taken too, with a warning: a
 * client that must refuse it can be tested with it.
 *
 * @param options.certFile PEM; the server's certificate first, then the rest of its chain
 * @param options.keyFile PEM, without a passphrase
 * @param options.now the moment it should be valid at. @default the present
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE`
 */
export async function readCertificatePair(options: {
  certFile: string;
  keyFile: string;
  now?: Date;
}): Promise<Certificate> {
  const certFile = resolve(options.certFile);
  const keyFile = resolve(options.keyFile);
  const text = read(certFile, CERT);
  const keyText = read(keyFile, KEY);
  if (isSwapped(text, keyText)) {
    throw unusable(
      `Failed to use ${certFile} as certificate: it holds the key, and ${keyFile} the certificate. Swap ${CERT} and ${KEY}.`,
    );
  }
  const chain = parseChain(certFile, text);
  const key = parseOwnKey(keyFile, keyText);
  const pair: Pair = { text, leaf: leafOf(chain, key, certFile, keyFile), key };
  const certificate = certificateOf(pair, certFile, [
    validityWarning(pair.leaf, certFile, options.now ?? new Date()),
  ]);
  assertServable(certificate, certFile);
  return certificate;
}

function read(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw unusable(`Failed to read ${file}: ${reasonOf(error)}. Correct ${setting}.`, error);
  }
}

function isSwapped(cert: string, key: string): boolean {
  const noCertificate = certificateBlocks(cert).length === 0 && holdsPrivateKey(cert);
  return noCertificate && certificateBlocks(key).length > 0;
}

function parseChain(file: string, text: string): [X509Certificate, ...X509Certificate[]] {
  const [leaf, ...rest] = certificateBlocks(text).map((block, index) => {
    const certificate = parseBlock(block);
    if (certificate) return certificate;
    throw unusable(
      `Failed to use ${file}: certificate ${index + 1} in it cannot be parsed. Correct ${CERT}.`,
    );
  });
  if (leaf) return [leaf, ...rest];
  const holds = holdsPrivateKey(text)
    ? 'a private key and no certificate'
    : 'no certificate in PEM form';
  throw unusable(
    `Failed to use ${file}: it holds ${holds}. Name a PEM file in ${CERT} (openssl x509 -inform der -in ${file} -out cert.pem makes one of a DER file).`,
  );
}

function parseOwnKey(file: string, text: string): KeyObject {
  if (isEncrypted(text)) {
    throw unusable(
      `Failed to use ${file}: its key is encrypted, and passphrases are not supported. Remove it with: openssl pkey -in ${file} -out key.pem, and name that file in ${KEY}.`,
    );
  }
  const key = parseKey(text);
  if (key) return key;
  const holds =
    certificateBlocks(text).length > 0
      ? 'a certificate and no private key'
      : 'no private key in PEM form';
  throw unusable(`Failed to use ${file}: it holds ${holds}. Name a PEM file in ${KEY}.`);
}

function leafOf(
  chain: [X509Certificate, ...X509Certificate[]],
  key: KeyObject,
  certFile: string,
  keyFile: string,
): X509Certificate {
  const [leaf, ...rest] = chain;
  if (leaf.checkPrivateKey(key)) return leaf;
  if (rest.some((certificate) => certificate.checkPrivateKey(key))) {
    throw unusable(
      `Failed to use ${certFile}: the certificate of the key in ${keyFile} is not the first in it. Put it first, then those that signed it.`,
    );
  }
  throw unusable(
    `Failed to use ${certFile}: the key in ${keyFile} does not belong to it. Name a pair in ${CERT} and ${KEY}.`,
  );
}

function assertServable(certificate: Certificate, file: string): void {
  try {
    createSecureContext({ cert: certificate.chain, key: certificate.key });
  } catch (error) {
    // The error is about the certificate or the strength of the key, and quotes neither.
    throw unusable(
      `Failed to use ${file}: TLS does not take it (${reasonOf(error)}). Name a pair in ${CERT} and ${KEY} that is strong enough, such as EC P-256 or RSA of 2048 bits.`,
    );
  }
}
