import type { KeyObject, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { certificateError, errorCode, reasonOf } from './certificate-error.ts';
import { certificateBlocks, isEncrypted, parseCertificate, parseKey } from './pem.ts';

const NEW_ONES =
  'Delete both momo-mock.pem and momo-mock-key.pem, so that momo-mock makes new ones.';

/** The absolute paths of the two files in a certificate folder. */
export interface CertificateFiles {
  readonly folder: string;
  /** The private key and the certificates. If the files differ, this one counts. */
  readonly key: string;
  /** Only the certificates, for clients to trust. */
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
 * clients may trust the certificate in the folder, and a new one would make them fail without an
 * obvious reason
 * @throws the file system's error if the folder is not accessible, so that the file may be missing
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
      `Failed to read ${file}: ${reasonOf(error)}. momo-mock does not replace it, because clients may trust the certificate in this folder. Allow the user that runs momo-mock to read the file, delete both momo-mock.pem and momo-mock-key.pem, or set MOMO_MOCK_CERTS_DIR to another folder.`,
      error,
    );
  }
}

/**
 * Parses the private key in the text of a file.
 *
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE`
 */
export function keyIn(file: string, text: string): KeyObject {
  const key = parseKey(text);
  if (key) return key;
  const cause = isEncrypted(text) ? 'its key needs a passphrase' : 'it contains no private key';
  throw certificateError(`Failed to use ${file}: ${cause}. ${NEW_ONES}`);
}

/**
 * Parses the first certificate in the text of a file.
 *
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE`
 */
export function leafIn(file: string, text: string): X509Certificate {
  const leaf = parseCertificate(text);
  if (leaf) return leaf;
  const cause =
    certificateBlocks(text).length > 0
      ? 'its certificate cannot be parsed'
      : 'it contains no PEM certificate';
  throw certificateError(`Failed to use ${file}: ${cause}. ${NEW_ONES}`);
}

/** Makes the key file private to its owner; returns a warning if that is not possible. */
export function closeToOthers({ folder, key }: CertificateFiles): string | undefined {
  try {
    if ((statSync(key).mode & 0o077) !== 0) chmodSync(key, 0o600);
    return undefined;
  } catch (error) {
    return `The private key in ${key} can be read by other users of this machine, and momo-mock cannot change that: ${reasonOf(error)}. Set the mode of the file to 0600, or set MOMO_MOCK_CERTS_DIR to another folder than ${folder}.`;
  }
}
