import { lstat, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cannotWrite } from '../errors.ts';

export async function writeReport(path: string, text: string): Promise<void> {
  if (path === '/dev/stdout') {
    // Opening it fails for a socket, and truncates a file.
    process.stdout.write(text);
    return;
  }
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/**
 * Checks that a report can be written, and removes an older one, which would otherwise stay if there is
 * no new one.
 */
export async function prepareReport(path: string): Promise<void> {
  const isOther = await stat(path).then(
    (stats) => !stats.isFile() && !stats.isDirectory(),
    () => false,
  );
  // Opening a named pipe would wait for its reader.
  if (isOther) return;
  await writeReport(path, '');
  // A link stays, and its target is empty until then: the target may be open elsewhere, as for /dev/stdout.
  if ((await lstat(path)).isFile()) await rm(path).catch(() => {});
}
