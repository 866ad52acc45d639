import { MomoMockError } from '../errors.ts';
import { timeOfDay } from '../timers.ts';
import { type Certificate, certificateOf, type Pair } from './certificate.ts';
import { certificateError, errorCode, reasonOf } from './certificate-error.ts';
import {
  type CertificateFiles,
  type CertificateTexts,
  type CurrentTexts,
  certificateFiles,
  closeToOthers,
  keyIn,
  leafIn,
  readTexts,
  removeDrafts,
  writeTexts,
} from './certificate-files.ts';
import { makeCertificateInMemory } from './memory-certificate.ts';
import { certificateNames, covers, namesOf } from './names.ts';
import { certificatesIn, pemOf } from './pem.ts';
import { makeBundle, makeKey, parseBundle } from './self-signed.ts';
import { phaseOf, validityWarning } from './validity.ts';

const MAX_ROUNDS = 100;

// The errors of an unwritable folder. ENOENT occurs in /proc, EBUSY for a mounted file.
const UNWRITABLE = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'ELOOP', 'ENAMETOOLONG', 'EBUSY'],
  ...['ENOSPC', 'EDQUOT', 'EFBIG'],
]);

/** The names and the moment that a certificate must be valid for. */
interface Demand {
  readonly names: readonly string[];
  readonly now: Date;
}

/**
 * Returns the certificate in a folder. The first startup creates it, later ones reuse it. It is
 * renewed with the same key if it expires within `RENEWAL_DAYS` or does not name all hosts. If the
 * folder is not writable, the certificate is in memory only, with a warning.
 *
 * @param options.certsDir folder of `momo-mock.pem` and `momo-mock-key.pem`; created if missing
 * @param options.hosts names besides localhost, 127.0.0.1 and ::1: DNS names, wildcards, addresses
 * @param options.now the moment at which it must be valid. @default the present
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for an invalid host name, and for files in
 * the folder that cannot be read or that momo-mock did not create
 */
export async function obtainCertificate(options: {
  certsDir: string;
  hosts: readonly string[];
  now?: Date;
}): Promise<Certificate> {
  const files = certificateFiles(options.certsDir);
  const demand = {
    names: certificateNames(options.hosts),
    now: options.now ?? new Date(timeOfDay()),
  };
  try {
    return certificateOf(await currentPair(files, demand), files.cert, [closeToOthers(files)]);
  } catch (error) {
    if (error instanceof MomoMockError) throw error;
    if (UNWRITABLE.has(errorCode(error) ?? '')) {
      return withoutWriting(files, demand, reasonOf(error));
    }
    throw certificateError(
      `Failed to keep a certificate in ${files.folder}: ${reasonOf(error)}. Fix the folder, or set MOMO_MOCK_CERTS_DIR to another one.`,
      error,
    );
  }
}

/**
 * Updates the files and reads them again, so that a process serves what is on disk. Of several that
 * start in an empty folder, one creates the key file, and the others use its pair.
 */
async function currentPair(files: CertificateFiles, demand: Demand): Promise<Pair> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const current = readTexts(files);
    const wanted = await upToDate(files, current, demand);
    if (wanted.key === current.key && wanted.cert === current.cert) {
      removeDrafts(files.folder);
      return pairOf(files, wanted);
    }
    writeTexts(files, current, wanted);
  }
  throw certificateError(
    `Failed to keep a certificate in ${files.folder}: another program keeps changing its files. Stop that program, or set MOMO_MOCK_CERTS_DIR to another folder.`,
  );
}

/**
 * Returns the texts that the files should contain: the pair in the key file, from which the other
 * file is published, or a renewed pair. It has the key and the names of what is in the folder.
 */
async function upToDate(
  files: CertificateFiles,
  current: CurrentTexts,
  demand: Demand,
): Promise<CertificateTexts> {
  const { key: keyText = '' } = current;
  const key = current.key === undefined ? makeKey() : keyIn(files.key, keyText);
  const published = current.cert === undefined ? undefined : leafIn(files.cert, current.cert);
  const text = certificatesIn(keyText);
  const leaf = text === '' ? undefined : leafIn(files.key, text);
  if (leaf && isFit({ text, leaf, key }, demand)) return { key: keyText, cert: text };
  const known = leaf ?? published;
  const names = [...new Set([...demand.names, ...(known ? namesOf(known) : [])])];
  const cert = await makeBundle({ key, names, now: demand.now });
  return { key: pemOf(key) + cert, cert };
}

function pairOf(files: CertificateFiles, { key: keyText, cert: text }: CertificateTexts): Pair {
  return { text, leaf: leafIn(files.cert, text), key: keyIn(files.key, keyText) };
}

/** Whether a pair can be served without a renewal. */
function isFit({ text, leaf, key }: Pair, { names, now }: Demand): boolean {
  const isGood = leaf.checkPrivateKey(key) && phaseOf(leaf, now) === 'good' && covers(leaf, names);
  return isGood && parseBundle(text) !== undefined;
}

/** The certificate for an unwritable folder: the one in it if clients accept it, or a new one. */
async function withoutWriting(
  files: CertificateFiles,
  demand: Demand,
  reason: string,
): Promise<Certificate> {
  const { names, now } = demand;
  const pair = publishedPair(files);
  if (pair && ['good', 'near-end'].includes(phaseOf(pair.leaf, now)) && covers(pair.leaf, names)) {
    const noRenewal = `momo-mock cannot renew it: ${files.folder} cannot be written (${reason}).`;
    return certificateOf(pair, files.cert, [
      validityWarning(pair.leaf, files.cert, now),
      isFit(pair, demand) ? undefined : noRenewal,
      closeToOthers(files),
    ]);
  }
  const warning = `The certificate is in memory only and changes at every startup, because ${files.folder} cannot be written (${reason}). Set MOMO_MOCK_CERTS_DIR to a writable folder, or fetch the certificate from the control API: GET /certificate.`;
  return { ...(await makeCertificateInMemory({ hosts: names, now })), warning };
}

/** The pair in the folder; undefined if the files do not belong together or cannot be read. */
function publishedPair(files: CertificateFiles): Pair | undefined {
  try {
    const { key = '', cert = '' } = readTexts(files);
    const pair = pairOf(files, { key, cert });
    return pair.leaf.checkPrivateKey(pair.key) ? pair : undefined;
  } catch {
    return undefined;
  }
}
