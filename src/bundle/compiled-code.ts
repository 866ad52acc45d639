import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** A program in one file, to be run as a CommonJS module. */
export interface Program {
  readonly file: string;
  /** Tells this program from every other, such as a hash of it. */
  readonly identity: string;
  /** The folder for compiled code. It may be missing, or not writable. */
  readonly folder: string;
}

const DIGEST = 32;

/**
 * Runs a program by code that V8 compiled in an earlier process, where there is any: most of what
 * a start takes is compiling. Code that is missing, cut short, altered or of another Node is left
 * alone, and the program compiled from its source.
 *
 * @returns what the program exports, and a function that keeps what is compiled by now for the
 *   next process; `undefined` where there is nothing to be gained
 */
export function runProgram<Exports>(
  program: Program,
  require: NodeJS.Require,
): { exports: Exports; keep: (() => void) | undefined } {
  const { file, identity, folder } = program;
  const kept = join(folder, `${basename(file)}-${process.version}-${process.arch}.bin`);
  const seal = (code: Buffer) =>
    createHash('sha256').update(`${identity} ${process.version}\n`).update(code).digest();

  const cachedData = readSealed(kept, seal);
  // As Node itself wraps a module. The bundle is ASCII, which is read in a fraction of the time.
  const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(file, 'latin1')}\n})`;
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const module = { exports: {} as Exports };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  if (cachedData !== undefined && !script.cachedDataRejected) {
    return { exports: module.exports, keep: undefined };
  }
  const keep = (): void => {
    const code = script.createCachedData();
    writeWhole(kept, Buffer.concat([seal(code), code]));
  };
  return { exports: module.exports, keep };
}

/** V8 itself takes altered code and crashes on it: whether it is whole is for us to see. */
function readSealed(file: string, seal: (code: Buffer) => Buffer): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const code = bytes.subarray(DIGEST);
    return seal(code).equals(bytes.subarray(0, DIGEST)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** No other process ever sees half a file. One that cannot be written costs nothing but time. */
function writeWhole(file: string, bytes: Buffer): void {
  const scratch = `${file}.${randomUUID()}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(scratch, bytes, { flag: 'wx' });
    renameSync(scratch, file);
  } catch {
    try {
      rmSync(scratch, { force: true });
    } catch {
      // The folder is none.
    }
  }
}
