import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closed, MomoMockError } from '../errors.ts';

/** @param file path of a file that contains `ca`; `null` if there is none */
export function clientTrust(ca: string, file: string | null) {
  const agent = new Agent({ ca, keepAlive: true });
  let path = file;
  let folder: string | undefined;
  let isClosed = false;
  return {
    agent,
    /** The first call writes the file if there is none. */
    file(): string {
      if (isClosed) throw closed();
      if (path !== null) return path;
      const parent = tmpdir();
      try {
        folder = mkdtempSync(join(parent, 'momo-mock-'));
        const written = join(folder, 'momo-mock.pem');
        writeFileSync(written, ca);
        path = written;
        return path;
      } catch (cause) {
        const { code } = cause as NodeJS.ErrnoException;
        const text = `Failed to write the certificate to a file: ${parent} cannot be written (${code}). Set TMPDIR to a writable folder, or use ca instead of caFile.`;
        throw new MomoMockError('MOMO_MOCK_FOLDER_UNUSABLE', text, { cause });
      }
    },
    close(): void {
      isClosed = true;
      agent.destroy();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
