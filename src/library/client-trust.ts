import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closed, MomoMockError } from '../errors.ts';

/** Lets clients trust a mock until it is closed. */
export class ClientTrust {
  readonly agent: Agent;
  readonly #ca: string;
  #file: string | null;
  #folder: string | undefined;
  #isClosed = false;

  /** @param file path of a file that contains `ca`; `null` if there is none */
  constructor(ca: string, file: string | null) {
    this.#ca = ca;
    this.#file = file;
    this.agent = new Agent({ ca, keepAlive: true });
  }

  /**
   * The path of a file that contains `ca`. If there is none, the first call writes it to the folder
   * for temporary files.
   *
   * @throws MomoMockError `MOMO_MOCK_FOLDER_UNUSABLE`, `MOMO_MOCK_CLOSED`
   */
  file(): string {
    if (this.#isClosed) throw closed();
    if (this.#file !== null) return this.#file;
    const parent = tmpdir();
    try {
      this.#folder = mkdtempSync(join(parent, 'momo-mock-'));
      const file = join(this.#folder, 'momo-mock.pem');
      writeFileSync(file, this.#ca);
      this.#file = file;
      return file;
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      const text = `Failed to write the certificate to a file: ${parent} cannot be written (${code}). Set TMPDIR to a writable folder, or use ca instead of caFile.`;
      throw new MomoMockError('MOMO_MOCK_FOLDER_UNUSABLE', text, { cause });
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.agent.destroy();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}
