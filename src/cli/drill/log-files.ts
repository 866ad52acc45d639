import { createWriteStream, type WriteStream } from 'node:fs';
import { access, constants, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { cannotWrite } from '../../errors.ts';

/** An application that never stops writing should not fill the disk, in characters. */
const MAX_LENGTH = 67_108_864;

/** A file for each failure, with what its application wrote. */
export class LogFiles {
  readonly #folder: string;
  readonly #files = new Map<string, { readonly stream: WriteStream; length: number }>();
  #problem: Error | undefined;

  /** @throws MomoMockError if the folder cannot be written */
  static async open(folder: string): Promise<LogFiles> {
    try {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      throw cannotWrite(folder, error);
    }
    return new LogFiles(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes what an earlier drill wrote. Call it before the failure has an application. */
  async begin(failure: string): Promise<void> {
    if (this.#files.has(failure)) return;
    const path = join(this.#folder, `${failure}.log`);
    await rm(path, { force: true }).catch(() => {});
    // Only its owner may read it: redaction knows the drill's secrets, but not those of the application.
    const stream = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    stream.on('error', (error) => {
      this.#problem ??= cannotWrite(path, error);
    });
    this.#files.set(failure, { stream, length: 0 });
  }

  write(failure: string, lines: string): void {
    const file = this.#files.get(failure);
    if (file === undefined || file.stream.writableEnded || file.length > MAX_LENGTH) return;
    file.length += lines.length;
    file.stream.write(file.length > MAX_LENGTH ? '…\n' : lines);
  }

  /** @throws MomoMockError if a file could not be written */
  async close(): Promise<void> {
    const streams = [...this.#files.values()].map(({ stream }) => stream);
    for (const stream of streams) stream.end();
    await Promise.allSettled(streams.map((stream) => finished(stream)));
    if (this.#problem !== undefined) throw this.#problem;
  }
}
