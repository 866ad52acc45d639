import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseBundle } from './bundle.ts';
import { publish } from './folder.ts';
import { parseLeaf } from './pem.ts';
import { readKept } from './stored.ts';

/**
 * Follows the successors of a certificate to the last one.
 *
 * @param current the text of the certificate on disk; undefined where there is none
 * @param walked gets the files that were followed
 * @returns the text of the last successor, or `current` where there is none
 */
export async function lastSuccessor(
  folder: string,
  key: KeyObject,
  current: string | undefined,
  walked: Set<string>,
): Promise<string | undefined> {
  let last = current;
  for (;;) {
    const file = successorFile(folder, key, last);
    const text = await readKept(file);
    if (text === undefined) return last;
    if (!parseLeaf(text)?.checkPrivateKey(key) || !parseBundle(text)) {
      // Not whole: written on a file system without hard links by a process that was killed.
      rmSync(file, { force: true });
      return last;
    }
    walked.add(file);
    last = text;
  }
}

/** Makes a certificate the successor of another one, unless that has one already. */
export function appendSuccessor(
  folder: string,
  key: KeyObject,
  last: string | undefined,
  successor: string,
): void {
  publish(successorFile(folder, key, last), successor, 0o644);
}

// The key is part of the name: when a user deletes both files to have new ones made, the
// successors of the old ones are not found any more.
function successorFile(folder: string, key: KeyObject, text: string | undefined): string {
  const id = createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .update(text ?? 'first')
    .digest('hex');
  return join(folder, `.momo-mock-${id.slice(0, 16)}.pem`);
}
