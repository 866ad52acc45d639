import type { KeyObject, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { makeBundle, parseBundle } from './bundle.ts';
import { install, publish, sweep } from './folder.ts';
import { subjectOf } from './mode-certificate.ts';
import { namesOf } from './names.ts';
import { covers, type Pair } from './pair.ts';
import { isSigningKey, makeKey, pemOf } from './self-signed.ts';
import { keptKey, keptLeaf, readKept } from './stored.ts';
import { appendSuccessor, lastSuccessor } from './succession.ts';
import { unusable } from './unusable.ts';
import { phaseOf } from './validity.ts';

const ROUNDS = 20;

/** The two files of a certificates' folder. */
export interface PairFiles {
  readonly folder: string;
  /** The certificate to trust: a bundle. */
  readonly cert: string;
  readonly key: string;
}

/** The files that momo-mock keeps in a folder. */
export function pairFiles(folder: string): PairFiles {
  return { folder, cert: join(folder, 'momo-mock.pem'), key: join(folder, 'momo-mock-key.pem') };
}

/** Whether momo-mock made a certificate, and so may replace it. */
export function isOurs(leaf: X509Certificate): boolean {
  return leaf.subject === subjectOf('normal');
}

/**
 * The pair of a folder, made or renewed where it has to be, and the same one for every process
 * that asks at the same time.
 *
 * There is no lock that a killed process could leave behind. Instead, a certificate has at most
 * one successor: a file whose name is computed from the key and the certificate it succeeds, and
 * which can be created once. Whoever finds the certificate on disk wanting follows the successors
 * to the last one, appends one if that is wanting too, and copies the last one to momo-mock.pem.
 * Then it looks again, until the file is the last successor and fit.
 *
 * - Two that append at once: one creates the file, the other finds it and installs it.
 * - Killed between append and install: the next to come finds the successor and installs it.
 * - Standing still before an install while others, with more names, append and install: it puts
 *   an older one back, looks again, finds that this has a successor, and installs that. This is
 *   why a successor's file is not removed at once but swept when it is a minute old.
 *
 * Somebody else's pair is never replaced: it is taken as it is.
 *
 * @param names what the certificate has to name; a successor also names what was named before
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for files that cannot be used
 * @throws the file system's error where the folder cannot be written
 */
export async function keepPair(
  files: PairFiles,
  names: readonly string[],
  now: Date,
): Promise<Pair> {
  const walked = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const key = await keyOf(files);
    const text = await readKept(files.cert);
    const current = text === undefined ? undefined : { text, leaf: keptLeaf(files.cert, text) };
    if (current && !isOurs(current.leaf)) return foreignPair(files, { ...current, key });

    const last = await lastSuccessor(files.folder, key, text, walked);
    const isCurrent = last === undefined || last === text;
    const leaf = isCurrent ? current?.leaf : keptLeaf(files.cert, last);
    if (last === undefined || !leaf || !isFit({ text: last, leaf, key }, names, now)) {
      const all = new Set([...names, ...(leaf ? namesOf(leaf) : [])]);
      appendSuccessor(files.folder, key, last, await make(files, key, [...all], now));
    } else if (last !== text) {
      install(files.cert, last, 0o644);
    } else {
      sweep(files.folder, walked);
      return { text, leaf, key };
    }
  }
  throw unusable(
    `Failed to keep a certificate in ${files.folder}: its files were others at every look. Stop what changes them, or name another folder in MOMO_MOCK_CERTS_DIR.`,
  );
}

function isFit(pair: Pair, names: readonly string[], now: Date): boolean {
  const { text, leaf, key } = pair;
  const isGood = leaf.checkPrivateKey(key) && phaseOf(leaf, now) === 'good' && covers(leaf, names);
  return isGood && parseBundle(text) !== undefined;
}

async function keyOf(files: PairFiles): Promise<KeyObject> {
  for (let round = 0; round < ROUNDS; round++) {
    const text = await readKept(files.key);
    if (text !== undefined) return keptKey(files.key, text);
    const cert = await readKept(files.cert);
    if (cert !== undefined && !isOurs(keptLeaf(files.cert, cert)))
      throw notOurs(files, 'is missing');
    publish(files.key, pemOf(makeKey()), 0o600);
  }
  throw unusable(
    `Failed to keep a key in ${files.key}: there is something of that name that cannot be read. Remove it, or name another folder in MOMO_MOCK_CERTS_DIR.`,
  );
}

function make(files: PairFiles, key: KeyObject, names: string[], now: Date): Promise<string> {
  if (isSigningKey(key)) return makeBundle({ key, names, now });
  throw unusable(
    `Failed to make a certificate: the key in ${files.key} is not an EC P-256 key, as momo-mock makes them. Delete it to have a new one made.`,
  );
}

function foreignPair(files: PairFiles, pair: Pair): Pair {
  if (pair.leaf.checkPrivateKey(pair.key)) return pair;
  throw notOurs(files, 'does not belong to it');
}

function notOurs(files: PairFiles, trouble: string) {
  return unusable(
    `Failed to use ${files.cert}: momo-mock did not make it, and its key in ${files.key} ${trouble}. Name a pair of your own in MOMO_MOCK_TLS_CERT_FILE and MOMO_MOCK_TLS_KEY_FILE, or move both files away to have new ones made.`,
  );
}
