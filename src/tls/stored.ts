import type { KeyObject } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { certificateBlocks, isEncrypted, parseKey, parseLeaf } from './pem.ts';
import { errorCode, reasonOf, unusable } from './unusable.ts';

const SETTLE_MS = 1000;
/** Between two looks at a file that is not whole, in ms. */
const PAUSE_MS = 20;
const NEW_ONES = 'Delete both momo-mock.pem and momo-mock-key.pem to have new ones made.';

/**
 * The text of a file that momo-mock keeps, or undefined where there is none.
 *
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE` for a file that is there but cannot be
 * read: clients may trust what the folder holds, so another certificate would fail them and
 * nobody would know why
 * @throws the file system's error where the folder itself is closed, so that nobody can tell
 */
export async function readKept(file: string): Promise<string | undefined> {
  try {
    return await readSettled(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    if (!existsSync(file)) throw error;
    throw unusable(
      `Failed to read ${file}: ${reasonOf(error)}. Clients may trust the certificate in this folder, so no other is made in its place. Let the user of this process read the file, delete both momo-mock.pem and momo-mock-key.pem, or name another folder in MOMO_MOCK_CERTS_DIR.`,
      error,
    );
  }
}

/**
 * The key in the text of a kept key file.
 *
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE`
 */
export function keptKey(file: string, text: string): KeyObject {
  const key = parseKey(text);
  if (key) return key;
  const cause = isEncrypted(text) ? 'its key needs a passphrase' : 'it holds no private key';
  throw unusable(`Failed to use ${file}: ${cause}. ${NEW_ONES}`);
}

/**
 * The certificate in the text of a kept certificate file.
 *
 * @throws MomoMockError `MOMO_MOCK_CERTIFICATE_UNUSABLE`
 */
export function keptLeaf(file: string, text: string) {
  const leaf = parseLeaf(text);
  if (leaf) return leaf;
  const cause =
    certificateBlocks(text).length > 0
      ? 'its certificate cannot be parsed'
      : 'it holds no certificate in PEM form';
  throw unusable(`Failed to use ${file}: ${cause}. ${NEW_ONES}`);
}

/** Takes a key file from group and others, and returns a sentence where that cannot be done. */
export function closeToOthers(file: string): string | undefined {
  try {
    const { mode } = statSync(file);
    if ((mode & 0o077) !== 0) chmodSync(file, 0o600);
    return undefined;
  } catch (error) {
    return `The private key in ${file} can be read by others on this machine, and that cannot be mended: ${reasonOf(error)}. Set its mode to 0600, or name another folder than ${dirname(file)} in MOMO_MOCK_CERTS_DIR.`;
  }
}

// Where a copy stands in for a hard link (see `publish`), a file can be seen half written, but
// only for a moment. Anywhere else the first look is enough.
async function readSettled(file: string): Promise<string> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    const text = readFileSync(file, 'utf8');
    const whole = /-----END [A-Z ]+-----\s*$/.test(text);
    if (whole || waited > SETTLE_MS) return text;
    const { mtimeMs } = statSync(file);
    if (Math.abs(Date.now() - mtimeMs) > SETTLE_MS) return text;
    await sleep(PAUSE_MS);
  }
}
