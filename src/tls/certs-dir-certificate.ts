import type { KeyObject, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MomoMockError, systemCode } from '../errors.ts';
import { timeOfDay } from '../timers.ts';
import { deleteDrafts, writeAtomically } from './atomic-file.ts';
import { type Certificate, certificateOf, memoryCertificate } from './certificate.ts';
import { certificateError, reasonOf } from './certificate-error.ts';
import { certificateNames, covers, namesOf } from './names.ts';
import {
  certificateBlocks,
  certificatesIn,
  isEncrypted,
  parseCertificate,
  parseKey,
  pemOf,
} from './pem.ts';
import { createBundle, createKey, isOurs, parseBundle } from './self-signed.ts';
import { phaseOf, validityWarning } from './validity.ts';

const MAX_ROUNDS = 100;

// The errors of an unwritable folder. ENOENT occurs in /proc, EBUSY for a mounted file.
const UNWRITABLE = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'ELOOP', 'ENAMETOOLONG', 'EBUSY'],
  ...['ENOSPC', 'EDQUOT', 'EFBIG'],
]);

interface CertsDir {
  /** An absolute path. */
  readonly folder: string;
  /** The private key, then the certificates. If the files differ, this one counts. */
  readonly keyFile: string;
  /** It has only the certificates, for clients to trust. */
  readonly certFile: string;
  readonly names: readonly string[];
  readonly now: Date;
}

/**
 * Returns the certificate in a folder. The first startup creates it, and later ones reuse it. It is
 * renewed with the same key if it expires within `RENEWAL_DAYS` or does not name all hosts. If the
 * folder is not writable, the certificate is in memory only, with a warning.
 *
 * @param options.hosts names besides the loopback names
 * @param options.now when it must be valid. @default the present
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for an invalid host name, and for files in
 *   the folder that cannot be read or that momo-mock did not create
 */
export async function certsDirCertificate(options: {
  certsDir: string;
  hosts: readonly string[];
  now?: Date;
}): Promise<Certificate> {
  const folder = resolve(options.certsDir);
  const dir: CertsDir = {
    folder,
    keyFile: join(folder, 'momo-mock-key.pem'),
    certFile: join(folder, 'momo-mock.pem'),
    names: certificateNames(options.hosts),
    now: options.now ?? new Date(timeOfDay()),
  };
  try {
    return await upToDateCertificate(dir);
  } catch (error) {
    if (error instanceof MomoMockError) throw error;
    if (UNWRITABLE.has(systemCode(error) ?? '')) {
      const reason = reasonOf(error);
      return existingCertificate(dir, reason) ?? (await memoryOnly(dir, reason));
    }
    throw certificateError(
      `Failed to store a certificate in ${folder}: ${reasonOf(error)}. Fix the folder, or set MOMO_MOCK_CERTS_DIR to another one.`,
      error,
    );
  }
}

/**
 * Updates the files and reads them again, so that a process serves what is on disk. If several
 * processes start in an empty folder, one creates the key file, and the others use its pair.
 */
async function upToDateCertificate(dir: CertsDir): Promise<Certificate> {
  const { folder, keyFile, certFile } = dir;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const current = { key: readText(keyFile), cert: readText(certFile) };
    const wanted = await upToDateText(dir, current);
    const published = certificatesIn(wanted);
    if (wanted === current.key && published === current.cert) {
      deleteDrafts(folder);
      return certificateOf(wanted, keyIn(keyFile, wanted), certFile, [hideKey(dir)]);
    }
    // The key file comes first: the other file is restored from it whenever they differ.
    if (wanted !== current.key) {
      const isNew = current.key === undefined;
      if (!writeAtomically(keyFile, wanted, { mode: 0o600, isNew })) continue;
    }
    if (published !== current.cert) writeAtomically(certFile, published, { mode: 0o644 });
  }
  throw certificateError(
    `Failed to store a certificate in ${folder}: another program keeps changing its files. Stop that program, or set MOMO_MOCK_CERTS_DIR to another folder.`,
  );
}

/** What the key file should contain. A renewed pair keeps the key and the names in the folder. */
async function upToDateText(
  dir: CertsDir,
  current: { readonly key: string | undefined; readonly cert: string | undefined },
): Promise<string> {
  const { keyFile, certFile, names, now } = dir;
  const key = current.key === undefined ? createKey() : keyIn(keyFile, current.key);
  const published = current.cert === undefined ? undefined : leafIn(certFile, current.cert);
  const cert = certificatesIn(current.key ?? '');
  const leaf = cert === '' ? undefined : leafIn(keyFile, cert);
  const isRenewed = !leaf?.checkPrivateKey(key) || needsRenewal(cert, leaf, dir);
  if (current.key !== undefined && !isRenewed) return current.key;
  const known = leaf ?? published;
  const all = [...new Set([...names, ...(known ? namesOf(known) : [])])];
  return pemOf(key) + (await createBundle({ key, names: all, now }));
}

function needsRenewal(cert: string, leaf: X509Certificate, { names, now }: CertsDir): boolean {
  return phaseOf(leaf, now) !== 'good' || !covers(leaf, names) || parseBundle(cert) === undefined;
}

async function memoryOnly({ folder, names, now }: CertsDir, reason: string): Promise<Certificate> {
  const warning = `The certificate is in memory only and changes at every startup, because ${folder} cannot be written (${reason}). Set MOMO_MOCK_CERTS_DIR to a writable folder, or fetch the certificate from the control API: GET /certificate.`;
  return { ...(await memoryCertificate({ hosts: names, now })), warning };
}

/** Undefined if clients refuse the certificate, or it cannot be read. */
function existingCertificate(dir: CertsDir, reason: string): Certificate | undefined {
  const { folder, keyFile, certFile, names, now } = dir;
  try {
    const cert = readText(certFile) ?? '';
    const leaf = leafIn(certFile, cert);
    const key = keyIn(keyFile, readText(keyFile) ?? '');
    const isValid = ['good', 'near-end'].includes(phaseOf(leaf, now));
    if (!isValid || !covers(leaf, names) || !leaf.checkPrivateKey(key)) return undefined;
    const noRenewal = `momo-mock cannot renew it: ${folder} cannot be written (${reason}).`;
    return certificateOf(cert, key, certFile, [
      validityWarning(leaf, certFile, now),
      needsRenewal(cert, leaf, dir) ? noRenewal : undefined,
      hideKey(dir),
    ]);
  } catch {
    return undefined;
  }
}

/** Makes the key file private to its owner; returns a warning if that is not possible. */
function hideKey({ folder, keyFile }: CertsDir): string | undefined {
  try {
    if ((statSync(keyFile).mode & 0o077) !== 0) chmodSync(keyFile, 0o600);
    return undefined;
  } catch (error) {
    return `The private key in ${keyFile} can be read by other users of this machine, and momo-mock cannot change that: ${reasonOf(error)}. Set the mode of the file to 0600, or set MOMO_MOCK_CERTS_DIR to another folder than ${folder}.`;
  }
}

/** @throws the file system's error if the file may be missing, because of the folder */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    if (!existsSync(file)) throw error;
    // With a new certificate, clients would fail without an obvious reason.
    throw certificateError(
      `Failed to read ${file}: ${reasonOf(error)}. momo-mock does not replace it, because clients may trust the certificate in this folder. Allow the user that runs momo-mock to read the file, delete both momo-mock.pem and momo-mock-key.pem, or set MOMO_MOCK_CERTS_DIR to another folder.`,
      error,
    );
  }
}

function keyIn(file: string, text: string): KeyObject {
  if (isEncrypted(text)) throw foreign(file, 'its key needs a passphrase');
  const key = parseKey(text);
  if (key === undefined) throw foreign(file, 'it contains no private key');
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw foreign(file, 'its key is not an EC P-256 key');
  }
  return key;
}

function leafIn(file: string, text: string): X509Certificate {
  if (certificateBlocks(text).length === 0) throw foreign(file, 'it contains no PEM certificate');
  const leaf = parseCertificate(text);
  if (leaf === undefined) throw foreign(file, 'its certificate cannot be parsed');
  if (!isOurs(leaf)) throw foreign(file, 'momo-mock did not create its certificate');
  return leaf;
}

/** The error for a file that momo-mock did not create, and therefore must not replace. */
function foreign(file: string, cause: string): MomoMockError {
  return certificateError(
    `Failed to use ${file}: ${cause}. To serve your own certificate, set MOMO_MOCK_TLS_CERT_FILE and MOMO_MOCK_TLS_KEY_FILE. Otherwise, delete both momo-mock.pem and momo-mock-key.pem, so that momo-mock creates new ones.`,
  );
}
