// Most of a start is compiling. V8 can hand out what it has compiled, and take it again later.
const { createHash, randomUUID } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { basename, dirname, join, resolve } = require('node:path');
const { Script } = require('node:vm');

const HASH_LENGTH = 32;

/**
 * Runs a CommonJS program with the code that V8 compiled in an earlier process, if there is any.
 *
 * @param name the program's file, seen from here; its text is ASCII
 * @returns what the program exports, and `keep()`, which keeps the code that is compiled by now
 *   for later processes
 */
module.exports = (name) => {
  const file = resolve(__dirname, name);
  const kept = join(dirname(file), 'compiled', `${process.version}-${process.arch}.bin`);
  const text = readFileSync(file);
  // V8 tells two programs apart only by their length, and crashes on damaged code.
  const hashOf = (code) =>
    createHash('sha256').update(basename(kept)).update(text).update(code).digest();
  const cachedData = read(kept, hashOf);
  // This is how Node wraps a module.
  const source = `(function(exports,require,module,__filename,__dirname){${text.latin1Slice()}\n})`;
  const script = new Script(source, { filename: file, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  let isKept = script.cachedDataRejected === false;
  const keep = () => {
    if (isKept) return;
    const code = script.createCachedData();
    // A process that has only printed its version or its help has too little to keep.
    if (code.length < text.length / 2) return;
    write(kept, Buffer.concat([hashOf(code), code]));
    isKept = true;
  };
  return { program: module.exports, keep };
};

/** Reads compiled code; `undefined` if there is none, or not as it was written. */
function read(file, hashOf) {
  try {
    const bytes = readFileSync(file);
    const code = bytes.subarray(HASH_LENGTH);
    return hashOf(code).equals(bytes.subarray(0, HASH_LENGTH)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a file as a whole. If that fails, the next process compiles again. */
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
