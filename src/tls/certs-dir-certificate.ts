import type { KeyObject, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MomoMockError, systemCode } from '../errors.ts';
import { timeOfDay } from '../timers.ts';
import { deleteDrafts, writeAtomically } from './atomic-file.ts';
import { type Certificate, certificateOf, type Pair } from './certificate.ts';
import { certificateError, reasonOf } from './certificate-error.ts';
import { memoryCertificate } from './memory-certificate.ts';
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

type Texts<Text = string> = Readonly<Record<'key' | 'cert', Text>>;

/**
 * Returns the certificate in a folder. The first startup creates it, and later ones reuse it. It is
 * renewed with the same key if it expires within `RENEWAL_DAYS` or does not name all hosts. If the
 * folder is not writable, the certificate is in memory only, with a warning.
 *
 * @param options.certsDir folder of `momo-mock.pem` and `momo-mock-key.pem`; created if missing
 * @param options.hosts names besides localhost, 127.0.0.1 and ::1: DNS names, wildcards, addresses
 * @param options.now when it must be valid. @default the present
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for an invalid host name, and for files in
 *   the folder that cannot be read or that momo-mock did not create
 */
export async function certsDirCertificate(options: {
  certsDir: string;
  hosts: readonly string[];
  now?: Date;
}): Promise<Certificate> {
  const names = certificateNames(options.hosts);
  const certsDir = new CertsDir(options.certsDir, names, options.now ?? new Date(timeOfDay()));
  try {
    return await certsDir.upToDateCertificate();
  } catch (error) {
    if (error instanceof MomoMockError) throw error;
    if (UNWRITABLE.has(systemCode(error) ?? '')) {
      return certsDir.certificateWithoutWriting(reasonOf(error));
    }
    throw certificateError(
      `Failed to store a certificate in ${certsDir.folder}: ${reasonOf(error)}. Fix the folder, or set MOMO_MOCK_CERTS_DIR to another one.`,
      error,
    );
  }
}

class CertsDir {
  /** The absolute path of the folder. */
  readonly folder: string;
  /** The private key, then the certificates. If the files differ, this one counts. */
  readonly #keyFile: string;
  /** Only the certificates, for clients to trust. */
  readonly #certFile: string;
  readonly #names: readonly string[];
  readonly #now: Date;

  constructor(folder: string, names: readonly string[], now: Date) {
    this.folder = resolve(folder);
    this.#keyFile = join(this.folder, 'momo-mock-key.pem');
    this.#certFile = join(this.folder, 'momo-mock.pem');
    this.#names = names;
    this.#now = now;
  }

  /**
   * Updates the files and reads them again, so that a process serves what is on disk. If several
   * processes start in an empty folder, one creates the key file, and the others use its pair.
   *
   * @throws the file system's error if the folder cannot be read or written
   */
  async upToDateCertificate(): Promise<Certificate> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const current = this.#read();
      const wanted = await this.#upToDate(current);
      if (wanted.key === current.key && wanted.cert === current.cert) {
        deleteDrafts(this.folder);
        return certificateOf(this.#parse(wanted), this.#certFile, [this.#hideKey()]);
      }
      this.#write(current, wanted);
    }
    throw certificateError(
      `Failed to store a certificate in ${this.folder}: another program keeps changing its files. Stop that program, or set MOMO_MOCK_CERTS_DIR to another folder.`,
    );
  }

  /** The certificate of an unwritable folder if clients accept it, or a new one in memory. */
  async certificateWithoutWriting(reason: string): Promise<Certificate> {
    const pair = this.#servablePair();
    if (pair === undefined) {
      const warning = `The certificate is in memory only and changes at every startup, because ${this.folder} cannot be written (${reason}). Set MOMO_MOCK_CERTS_DIR to a writable folder, or fetch the certificate from the control API: GET /certificate.`;
      return {
        ...(await memoryCertificate({ hosts: this.#names, now: this.#now })),
        warning,
      };
    }
    const noRenewal = `momo-mock cannot renew it: ${this.folder} cannot be written (${reason}).`;
    return certificateOf(pair, this.#certFile, [
      validityWarning(pair.leaf, this.#certFile, this.#now),
      this.#needsRenewal(pair) ? noRenewal : undefined,
      this.#hideKey(),
    ]);
  }

  /**
   * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for a file that exists but cannot be
   * read: clients may trust the certificate in the folder, and a new one would make them fail
   * without an obvious reason
   * @throws the file system's error if the folder is not accessible, so that the file may be missing
   */
  #read(): Texts<string | undefined> {
    return { key: readText(this.#keyFile), cert: readText(this.#certFile) };
  }

  /**
   * Writes the changed texts. If another process has created the key file meanwhile, nothing is
   * written, and the caller reads the files again.
   */
  #write(current: Texts<string | undefined>, wanted: Texts): void {
    // The key file comes first: the other file is restored from it whenever they differ.
    if (wanted.key !== current.key) {
      const isNew = current.key === undefined;
      if (!writeAtomically(this.#keyFile, wanted.key, { mode: 0o600, isNew })) return;
    }
    if (wanted.cert !== current.cert) writeAtomically(this.#certFile, wanted.cert, { mode: 0o644 });
  }

  /**
   * The texts that the files should contain: the pair in the key file, from which the other file is
   * published, or a renewed pair. It keeps the key and the names in the folder.
   */
  async #upToDate(current: Texts<string | undefined>): Promise<Texts> {
    const key = current.key === undefined ? createKey() : keyIn(this.#keyFile, current.key);
    const published = current.cert === undefined ? undefined : leafIn(this.#certFile, current.cert);
    const cert = certificatesIn(current.key ?? '');
    const leaf = cert === '' ? undefined : leafIn(this.#keyFile, cert);
    if (current.key !== undefined && leaf && !this.#needsRenewal({ cert, leaf, key })) {
      return { key: current.key, cert };
    }
    const known = leaf ?? published;
    const names = [...new Set([...this.#names, ...(known ? namesOf(known) : [])])];
    const bundle = await createBundle({ key, names, now: this.#now });
    return { key: pemOf(key) + bundle, cert: bundle };
  }

  #parse({ key, cert }: Texts): Pair {
    return { cert, leaf: leafIn(this.#certFile, cert), key: keyIn(this.#keyFile, key) };
  }

  #needsRenewal({ cert, leaf, key }: Pair): boolean {
    const isGood = leaf.checkPrivateKey(key) && phaseOf(leaf, this.#now) === 'good';
    return !isGood || !covers(leaf, this.#names) || parseBundle(cert) === undefined;
  }

  /** The pair in the folder if clients accept it; undefined also if it cannot be read. */
  #servablePair(): Pair | undefined {
    try {
      const { key = '', cert = '' } = this.#read();
      const pair = this.#parse({ key, cert });
      const isValid = ['good', 'near-end'].includes(phaseOf(pair.leaf, this.#now));
      const isServable = isValid && covers(pair.leaf, this.#names);
      return isServable && pair.leaf.checkPrivateKey(pair.key) ? pair : undefined;
    } catch {
      return undefined;
    }
  }

  /** Makes the key file private to its owner; returns a warning if that is not possible. */
  #hideKey(): string | undefined {
    try {
      if ((statSync(this.#keyFile).mode & 0o077) !== 0) chmodSync(this.#keyFile, 0o600);
      return undefined;
    } catch (error) {
      return `The private key in ${this.#keyFile} can be read by other users of this machine, and momo-mock cannot change that: ${reasonOf(error)}. Set the mode of the file to 0600, or set MOMO_MOCK_CERTS_DIR to another folder than ${this.folder}.`;
    }
  }
}

/** @returns undefined for a file that does not exist */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    if (!existsSync(file)) throw error;
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
