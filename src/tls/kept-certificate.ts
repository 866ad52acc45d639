import { resolve } from 'node:path';
import { MomoMockError } from '../errors.ts';
import { parseBundle } from './bundle.ts';
import type { Certificate } from './certificate.ts';
import { isOurs, keepPair, type PairFiles, pairFiles } from './kept-pair.ts';
import { certificateNames } from './names.ts';
import { certificateOf, covers, makePair, type Pair } from './pair.ts';
import { parseKey, parseLeaf } from './pem.ts';
import { closeToOthers, readKept } from './stored.ts';
import { errorCode, reasonOf, unusable } from './unusable.ts';
import { phaseOf, validityWarning } from './validity.ts';

// What a folder answers that cannot be written; ENOENT is /proc's.
const UNWRITABLE = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'ELOOP', 'ENAMETOOLONG'],
  ...['ENOSPC', 'EDQUOT', 'EFBIG'],
]);

/**
 * The certificate that momo-mock makes on first start, keeps in a folder and uses from then on.
 * It is renewed, with the same key, when it is within `RENEWAL_DAYS` of its end or does not name
 * all the hosts. A folder that cannot be written means memory only, with a warning.
 *
 * @param options.certsDir where `momo-mock.pem` and `momo-mock-key.pem` are; made where missing
 * @param options.hosts names beside localhost, 127.0.0.1 and ::1: DNS names, wildcards, addresses
 * @param options.now the moment it has to be valid at. @default the present
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for a host that is no name, and for files
 * in the folder that cannot be read, do not belong together or are not what their names say
 */
export async function obtainCertificate(options: {
  certsDir: string;
  hosts: readonly string[];
  now?: Date;
}): Promise<Certificate> {
  const names = certificateNames(options.hosts);
  const files = pairFiles(resolve(options.certsDir));
  const now = options.now ?? new Date();
  try {
    const pair = await keepPair(files, names, now);
    return certificateOf(pair, files.cert, [
      validityWarning(pair.leaf, files.cert, now),
      namesWarning(pair, files, names),
      closeToOthers(files.key),
    ]);
  } catch (error) {
    if (error instanceof MomoMockError) throw error;
    if (!UNWRITABLE.has(errorCode(error) ?? '')) {
      throw unusable(
        `Failed to keep a certificate in ${files.folder}: ${reasonOf(error)}. Mend the folder, or name another one in MOMO_MOCK_CERTS_DIR.`,
        error,
      );
    }
    return withoutWriting(files, names, now, reasonOf(error));
  }
}

async function withoutWriting(
  files: PairFiles,
  names: readonly string[],
  now: Date,
  reason: string,
): Promise<Certificate> {
  const there = await pairThere(files).catch(() => undefined);
  if (there && isTaken(there, names, now)) {
    return certificateOf(there, files.cert, [
      validityWarning(there.leaf, files.cert, now),
      bundleWarning(there, files),
      `momo-mock cannot renew it: ${files.folder} cannot be written (${reason}).`,
      closeToOthers(files.key),
    ]);
  }
  return certificateOf(await makePair(names, now), null, [
    `The certificate is in memory only and another one at the next start, because ${files.folder} cannot be written (${reason}): name a folder that can be written in MOMO_MOCK_CERTS_DIR, or fetch the certificate from the control API, GET /certificate.`,
  ]);
}

async function pairThere(files: PairFiles): Promise<Pair | undefined> {
  const text = (await readKept(files.cert)) ?? '';
  const leaf = parseLeaf(text);
  const key = parseKey((await readKept(files.key)) ?? '');
  return leaf && key && leaf.checkPrivateKey(key) ? { text, leaf, key } : undefined;
}

/** Whether clients take a pair that cannot be replaced. */
function isTaken({ leaf }: Pair, names: readonly string[], now: Date): boolean {
  return ['good', 'near-end'].includes(phaseOf(leaf, now)) && covers(leaf, names);
}

function bundleWarning(pair: Pair, files: PairFiles): string | undefined {
  if (parseBundle(pair.text)) return undefined;
  return `${files.cert} holds no certificates for the TLS modes expired and wrong-host: in these, clients refuse what is served as self-signed.`;
}

function namesWarning(pair: Pair, files: PairFiles, names: readonly string[]): string | undefined {
  const missing = names.filter((name) => !covers(pair.leaf, [name]));
  if (isOurs(pair.leaf) || missing.length === 0) return undefined;
  return `The certificate in ${files.cert} does not name ${missing.join(', ')}, and momo-mock did not make it, so does not replace it: clients that verify it refuse it under such a name.`;
}
