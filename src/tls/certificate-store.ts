import { MomoMockError } from '../errors.ts';
import { timeOfDay } from '../timers.ts';
import { type Certificate, certificateOf, type Pair } from './certificate.ts';
import { certificateError, errorCode, reasonOf } from './certificate-error.ts';
import {
  type CertificateFiles,
  type CertificateTexts,
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
import { isOurs, isSigningKey, makeBundle, makeKey, parseBundle } from './self-signed.ts';
import { phaseOf, validityWarning } from './validity.ts';

const ROUNDS = 100;

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
 * Returns the certificate in a folder. The first start creates it, later starts reuse it. It is
 * renewed with the same key if it expires within `RENEWAL_DAYS` or does not name all hosts. If the
 * folder is not writable, the certificate is in memory only, with a warning.
 *
 * @param options.certsDir folder of `momo-mock.pem` and `momo-mock-key.pem`; created if missing
 * @param options.hosts names besides localhost, 127.0.0.1 and ::1: DNS names, wildcards, addresses
 * @param options.now the moment at which it must be valid. @default the present
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for an invalid host name, and for files in
 * the folder that cannot be read, do not belong together or have the wrong content
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
    const pair = await currentPair(files, demand);
    return certificateOf(pair, files.cert, [
      validityWarning(pair.leaf, files.cert, demand.now),
      namesWarning(pair, files, demand),
      closeToOthers(files),
    ]);
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
 * start in an empty folder, one creates the key file, and the others take over its pair.
 */
async function currentPair(files: CertificateFiles, demand: Demand): Promise<Pair> {
  for (let round = 0; round < ROUNDS; round++) {
    const found = readTexts(files);
    const wanted = await upToDate(files, found, demand);
    if (wanted.key === found.key && wanted.cert === found.cert) {
      removeDrafts(files.folder);
      const { key, cert: text } = wanted;
      return { text, leaf: leafIn(files.cert, text), key: keyIn(files.key, key) };
    }
    writeTexts(files, found, wanted);
  }
  throw certificateError(
    `Failed to keep a certificate in ${files.folder}: another program keeps changing its files. Stop that program, or set MOMO_MOCK_CERTS_DIR to another folder.`,
  );
}

/**
 * Returns the texts that the files should contain: their current texts, or those of a renewed pair.
 * A pair that momo-mock did not make is never changed.
 */
async function upToDate(
  files: CertificateFiles,
  found: CertificateTexts,
  demand: Demand,
): Promise<{ key: string; cert: string }> {
  const { key: keyText = '', cert: certText = '' } = found;
  const key = found.key === undefined ? undefined : keyIn(files.key, keyText);
  const published = found.cert === undefined ? undefined : leafIn(files.cert, certText);
  const bundle = certificatesIn(keyText);
  // What momo-mock made is in the key file, from which the other is published.
  const isKept = bundle !== '' && (published === undefined || isOurs(published));
  const text = isKept ? bundle : certText;
  const leaf = isKept ? leafIn(files.key, bundle) : published;
  if (leaf && !isOurs(leaf)) {
    if (key && leaf.checkPrivateKey(key)) return { key: keyText, cert: text };
    throw certificateError(
      `Failed to use ${files.cert}: momo-mock did not make it, and its key in ${files.key} ${key ? 'does not belong to it' : 'is missing'}. Set MOMO_MOCK_TLS_CERT_FILE and MOMO_MOCK_TLS_KEY_FILE to a matching pair, or move both files away so that momo-mock makes new ones.`,
    );
  }
  if (isKept && leaf && key && isFit({ text, leaf, key }, demand)) {
    return { key: keyText, cert: bundle };
  }
  if (key && !isSigningKey(key)) {
    throw certificateError(
      `Failed to make a certificate: the key in ${files.key} is not an EC P-256 key. Delete the file, so that momo-mock makes a new key.`,
    );
  }
  const names = [...new Set([...demand.names, ...(leaf ? namesOf(leaf) : [])])];
  const usedKey = key ?? makeKey();
  const cert = await makeBundle({ key: usedKey, names, now: demand.now });
  return { key: pemOf(usedKey) + cert, cert };
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
  const warning = `The certificate is in memory only and changes at every start, because ${files.folder} cannot be written (${reason}). Set MOMO_MOCK_CERTS_DIR to a writable folder, or fetch the certificate from the control API: GET /certificate.`;
  return { ...(await makeCertificateInMemory({ hosts: names, now })), warning };
}

/** The pair in the folder; undefined if the files do not belong together or cannot be read. */
function publishedPair(files: CertificateFiles): Pair | undefined {
  try {
    const { key: keyText = '', cert: text = '' } = readTexts(files);
    const [leaf, key] = [leafIn(files.cert, text), keyIn(files.key, keyText)];
    return leaf.checkPrivateKey(key) ? { text, leaf, key } : undefined;
  } catch {
    return undefined;
  }
}

function namesWarning(
  { leaf }: Pair,
  files: CertificateFiles,
  { names }: Demand,
): string | undefined {
  const missing = names.filter((name) => !covers(leaf, [name]));
  if (isOurs(leaf) || missing.length === 0) return undefined;
  return `The certificate in ${files.cert} does not name ${missing.join(', ')}: clients that verify it will refuse it for such a host. momo-mock did not make this certificate and does not replace it. Replace it with one for these hosts.`;
}
