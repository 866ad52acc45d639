import type { KeyObject, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { certificateError, errorCode, reasonOf } from './certificate-error.ts';
import { certificateBlocks, isEncrypted, parseCertificate, parseKey } from './pem.ts';

const NEW_ONES = 'Delete both momo-mock.pem and momo-mock-key.pem to have new ones made.';

/** The two files of a certificate folder, by absolute paths. */
export interface CertificateFiles {
  readonly folder: string;
  /** The private key and the certificates. This file is the truth. */
  readonly key: string;
  /** The certificates alone, for clients to trust. */
  readonly cert: string;
}

/** The texts of the two files; undefined for a file that does not exist. */
export interface CertificateTexts {
  readonly key: string | undefined;
  readonly cert: string | undefined;
}

/** The paths of the two files in a folder. */
export function certificateFiles(folder: string): CertificateFiles {
  const path = resolve(folder);
  return { folder: path, key: join(path, 'momo-mock-key.pem'), cert: join(path, 'momo-mock.pem') };
}

/**
 * Reads the two files.
 *
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for a file that exists but cannot be read:
 * clients may trust the certificate in the folder, so a new one would make them fail, and nobody
 * would know why
 * @throws the file system's error if the folder itself is closed, so that nobody can tell
 */
export function readTexts(files: CertificateFiles): CertificateTexts {
  return { key: readText(files.key), cert: readText(files.cert) };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    if (!existsSync(file)) throw error;
    throw certificateError(
      `Failed to read ${file}: ${reasonOf(error)}. Clients may trust the certificate in this folder, so no other is made in its place. Let the user of this process read the file, delete both momo-mock.pem and momo-mock-key.pem, or name another folder in MOMO_MOCK_CERTS_DIR.`,
      error,
    );
  }
}

/**
 * The private key in the text of a file.
 *
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE`
 */
export function keyIn(file: string, text: string): KeyObject {
  const key = parseKey(text);
  if (key) return key;
  const cause = isEncrypted(text) ? 'its key needs a passphrase' : 'it holds no private key';
  throw certificateError(`Failed to use ${file}: ${cause}. ${NEW_ONES}`);
}

/**
 * The first certificate in the text of a file.
 *
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE`
 */
export function leafIn(file: string, text: string): X509Certificate {
  const leaf = parseCertificate(text);
  if (leaf) return leaf;
  const cause =
    certificateBlocks(text).length > 0
      ? 'its certificate cannot be parsed'
      : 'it holds no certificate in PEM form';
  throw certificateError(`Failed to use ${file}: ${cause}. ${NEW_ONES}`);
}

/** Makes the key file private to its owner; returns a warning if that is not possible. */
export function closeToOthers({ folder, key }: CertificateFiles): string | undefined {
  try {
    if ((statSync(key).mode & 0o077) !== 0) chmodSync(key, 0o600);
    return undefined;
  } catch (error) {
    return `The private key in ${key} can be read by others on this machine, and that cannot be fixed: ${reasonOf(error)}. Set its mode to 0600, or name another folder than ${folder} in MOMO_MOCK_CERTS_DIR.`;
  }
}
