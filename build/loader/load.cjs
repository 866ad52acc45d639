// A start mostly consists of compiling. V8 can export compiled code and load it again later.
const { createHash, randomUUID } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { basename, dirname, join, resolve } = require('node:path');
const { Script } = require('node:vm');

const HASH_LENGTH = 32;

/**
 * Runs a CommonJS program with the code that V8 compiled in an earlier process, if there is any.
 *
 * @param name the program's file, relative to this folder; its text is ASCII
 * @returns the exports of the program; `keep()`, which saves the code that is compiled so far for
 *   later processes, and takes some ms; and `isKept()`, whether any is saved
 */
module.exports = (name) => {
  const file = resolve(__dirname, name);
  const version = `${basename(file, '.cjs')}-${process.version}-${process.arch}.bin`;
  const kept = join(dirname(file), 'compiled', version);
  const text = readFileSync(file);
  // V8 only checks the length of the program, and crashes on damaged code.
  const about = `${version} ${text.length} ${statSync(file).mtimeMs}`;
  const hashOf = (code) => createHash('sha256').update(about).update(code).digest();
  const cachedData = read(kept, hashOf);
  // The same wrapper as in Node.
  const source = `(function(exports,require,module,__filename,__dirname){${text.latin1Slice()}\n})`;
  const script = new Script(source, { filename: file, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  let length = script.cachedDataRejected === false ? cachedData.length : 0;
  const keep = () => {
    const code = script.createCachedData();
    // A process that only printed its version or help has compiled too little to keep. One that runs
    // handlers or checks schemas has compiled more than the earlier ones, which did not.
    if (code.length < Math.max(text.length / 2, length * 1.1)) return;
    write(kept, Buffer.concat([hashOf(code), code]));
    length = code.length;
  };
  return { program: module.exports, keep, isKept: () => length > 0 };
};

/** Reads compiled code; `undefined` if there is none, or it is damaged. */
function read(file, hashOf) {
  try {
    const bytes = readFileSync(file);
    const code = bytes.subarray(HASH_LENGTH);
    return hashOf(code).equals(bytes.subarray(0, HASH_LENGTH)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a file atomically. If that fails, the next process compiles again. */
function write(file, bytes) {
  const temporary = `${file}.${randomUUID()}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    try {
      writeFileSync(temporary, bytes, { flag: 'wx' });
      renameSync(temporary, file);
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch {}
}
