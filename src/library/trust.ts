import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { MomoMockError } from '../errors.ts';
import { certificateBlocks } from '../tls/pem.ts';
import { closed } from './momo-mock.ts';

/** What lets clients trust a mock, until it is closed. */
export class Trust {
  /** PEM to trust. */
  readonly ca: string;
  /** An agent that trusts it. */
  readonly agent: Agent;
  /** The options for undici. */
  readonly connect: { readonly ca: string };
  readonly #endProcessTrust: (() => void) | undefined;
  #file: string | null;
  #folder: string | undefined;
  #isClosed = false;

  /**
   * @param ca PEM to trust
   * @param file path of a file that contains it; `null` if there is none
   * @param inProcess whether all clients of this process trust it
   */
  constructor(ca: string, file: string | null, inProcess: boolean) {
    this.ca = ca;
    this.connect = { ca };
    this.#file = file;
    this.#endProcessTrust = inProcess ? trustInProcess(ca) : undefined;
    this.agent = new Agent({ ca, keepAlive: true });
  }

  /**
   * The path of a file that holds `ca`. Where there is none, the first call writes it to the folder
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

  /** Ends the trust of this process and the agent's connections, and removes the file it wrote. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#endProcessTrust?.();
    this.agent.destroy();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What `node:tls` has from Node 22.19 and 24.5 on; the types are those of Node 20. */
interface DefaultCertificates {
  getCACertificates(type: 'default'): readonly string[];
  setDefaultCACertificates(certificates: readonly string[]): void;
}

/** How many open mocks each certificate is trusted for: mocks can share one. */
const uses = new Map<string, number>();

/**
 * Checks that this Node can trust more certificates while it runs.
 *
 * @throws MomoMockError `MOMO_MOCK_NODE_TOO_OLD`
 */
export function checkProcessTrust(): void {
  if ((tls as Partial<DefaultCertificates>).setDefaultCACertificates !== undefined) return;
  throw new MomoMockError(
    'MOMO_MOCK_NODE_TOO_OLD',
    'Failed to trust the mock in this process (trustInProcess): this Node has no tls.setDefaultCACertificates. Use Node 22.19, 24.5 or newer, give the client ca, agent or connect, or run the tests with momo-mock run.',
  );
}

/**
 * Makes every TLS client of this thread that names no certificates trust a mock, including the
 * global `fetch`. Connections that are open, and TLS sessions that are resumed, stay trusted.
 *
 * @param ca PEM to trust
 * @returns a function that ends it
 */
export function trustInProcess(ca: string): () => void {
  const { getCACertificates, setDefaultCACertificates } = tls as unknown as DefaultCertificates;
  const added = certificateBlocks(ca).map(bare);
  for (const one of added) uses.set(one, (uses.get(one) ?? 0) + 1);
  setDefaultCACertificates([...getCACertificates('default'), ...certificateBlocks(ca)]);
  return () => {
    for (const one of added) {
      const left = (uses.get(one) ?? 1) - 1;
      if (left > 0) uses.set(one, left);
      else uses.delete(one);
    }
    const ended = added.filter((one) => !uses.has(one));
    const trusted = getCACertificates('default');
    setDefaultCACertificates(trusted.filter((one) => !ended.includes(bare(one))));
  };
}

/** A certificate without white space, which Node changes. */
function bare(pem: string): string {
  return pem.replace(/\s/g, '');
}
