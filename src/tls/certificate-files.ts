import { type KeyObject, randomUUID, type X509Certificate } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { MomoMockError } from '../errors.ts';
import { timeOfDay } from '../timers.ts';
import { certificateError, errorCode, reasonOf } from './certificate-error.ts';
import { certificateBlocks, isEncrypted, parseCertificate, parseKey } from './pem.ts';
import { isOurs, isSigningKey } from './self-signed.ts';

/** The absolute paths of the two files in a certificate folder. */
export interface CertificateFiles {
  readonly folder: string;
  /** The private key and the certificates. If the files differ, this one counts. */
  readonly key: string;
  /** Only the certificates, for clients to trust. */
  readonly cert: string;
}

export interface CertificateTexts {
  readonly key: string;
  readonly cert: string;
}

/** `undefined` for a file that does not exist. */
export type CurrentTexts = {
  readonly [File in keyof CertificateTexts]: CertificateTexts[File] | undefined;
};

export function certificateFiles(folder: string): CertificateFiles {
  const path = resolve(folder);
  return { folder: path, key: join(path, 'momo-mock-key.pem'), cert: join(path, 'momo-mock.pem') };
}

/**
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for a file that exists but cannot be read:
 * clients may trust the certificate in the folder, and a new one would make them fail without an
 * obvious reason
 * @throws the file system's error if the folder is not accessible, so that the file may be missing
 */
export function readTexts(files: CertificateFiles): CurrentTexts {
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
  if (isEncrypted(text)) throw foreign(file, 'its key needs a passphrase');
  const key = parseKey(text);
  if (key === undefined) throw foreign(file, 'it contains no private key');
  if (!isSigningKey(key)) throw foreign(file, 'its key is not an EC P-256 key');
  return key;
}

/**
 * Parses the first certificate in the text of a file.
 *
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE`, also if momo-mock did not create it
 */
export function leafIn(file: string, text: string): X509Certificate {
  if (certificateBlocks(text).length === 0) throw foreign(file, 'it contains no PEM certificate');
  const leaf = parseCertificate(text);
  if (leaf === undefined) throw foreign(file, 'its certificate cannot be parsed');
  if (!isOurs(leaf)) throw foreign(file, 'momo-mock did not create its certificate');
  return leaf;
}

function foreign(file: string, cause: string): MomoMockError {
  return certificateError(
    `Failed to use ${file}: ${cause}. To serve your own certificate, set MOMO_MOCK_TLS_CERT_FILE and MOMO_MOCK_TLS_KEY_FILE. Otherwise, delete both momo-mock.pem and momo-mock-key.pem, so that momo-mock creates new ones.`,
  );
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

/** The prefix of files that are being written. */
const DRAFT = '.momo-mock-';
/** A killed process left a draft that is older than this, in ms. */
const MAX_DRAFT_AGE = 60_000;

/**
 * Writes the texts that have changed, each file atomically. If another process has created the key
 * file meanwhile, nothing is written, and the caller reads the files again.
 *
 * @throws the file system's error if the folder cannot be written
 */
export function writeTexts(
  { folder, key, cert }: CertificateFiles,
  current: CurrentTexts,
  wanted: CertificateTexts,
): void {
  makeFolder(folder);
  // The key file comes first: the other file is restored from it whenever they differ.
  if (wanted.key !== current.key) {
    const isWritten = putFile(key, wanted.key, 0o600, current.key === undefined);
    if (!isWritten) return;
  }
  if (wanted.cert !== current.cert) putFile(cert, wanted.cert, 0o644, false);
}

/** Removes the drafts of killed processes, if this process is allowed to. */
export function removeDrafts(folder: string): void {
  attempt(() => {
    for (const name of readdirSync(folder).filter((name) => name.startsWith(DRAFT))) {
      const draft = join(folder, name);
      const age = Math.abs(timeOfDay() - statSync(draft).mtimeMs);
      if (age > MAX_DRAFT_AGE) rmSync(draft);
    }
  });
}

/** @returns `false` if the file should be new, but another process has created it */
function putFile(path: string, text: string, mode: number, isNew: boolean): boolean {
  const draft = join(dirname(path), `${DRAFT}${randomUUID()}`);
  try {
    writeFileSync(draft, text, { mode, flag: 'wx', flush: true });
    // The umask may have removed bits. A file system without modes may refuse, which is harmless.
    attempt(() => chmodSync(draft, mode));
    if (isNew && isLinked(draft, path)) return true;
    if (isNew && existsSync(path)) return false;
    renameSync(draft, path);
    return true;
  } finally {
    attempt(() => rmSync(draft, { force: true }));
  }
}

/** Some file systems have no links. */
function isLinked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch {
    return false;
  }
}

// Not `recursive: true`: with it, Node never returns for a folder such as /proc/certs, whose parent
// exists although mkdir fails with ENOENT.
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {}
}
