import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closed, MomoMockError } from '../errors.ts';

/** Lets clients trust a mock until it is closed. */
export class ClientTrust {
  readonly ca: string;
  readonly agent: Agent;
  readonly connect: { readonly ca: string };
  #file: string | null;
  #folder: string | undefined;
  #isClosed = false;

  /**
   * @param ca PEM to trust
   * @param file path of a file that contains it; `null` if there is none
   */
  constructor(ca: string, file: string | null) {
    this.ca = ca;
    this.connect = { ca };
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
    this.#file ??= this.#write();
    return this.#file;
  }

  #write(): string {
    const parent = tmpdir();
    try {
      this.#folder = mkdtempSync(join(parent, 'momo-mock-'));
      const file = join(this.#folder, 'momo-mock.pem');
      writeFileSync(file, this.ca);
      return file;
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new MomoMockError(
        'MOMO_MOCK_FOLDER_UNUSABLE',
        `Failed to write the certificate to a file: ${parent} cannot be written (${code}). Set TMPDIR to a writable folder, or use ca instead of caFile.`,
        { cause },
      );
    }
  }

  /** Closes the agent's connections, and deletes the file if this class wrote it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.agent.destroy();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}
