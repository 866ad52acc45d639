import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Files of a fixture tree by path: text and bytes as they are, anything else as JSON. */
export type Files = Readonly<Record<string, unknown>>;

/** Takes what to do when something is over: a test, as `onTestFinished` does, or a suite. */
export type Over = (end: () => void | Promise<void>) => void;

/** An empty folder, which is gone after the test, or after what `over` says, such as `afterAll`. */
export function temporaryFolder(over: Over = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'momo-mock-')));
  over(() => {
    // A test may have taken the right to write from its owner.
    if (existsSync(folder)) chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Writes files of a fixture tree into a folder. */
export function writeFiles(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
    writeFileSync(file, isRaw ? content : JSON.stringify(content));
  }
}
