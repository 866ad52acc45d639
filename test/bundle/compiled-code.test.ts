import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../src/bundle/compiled-code.ts';

const require = createRequire(import.meta.url);

/** A program in a folder of its own, and where its compiled code is kept. */
function programOf(text: string) {
  const root = mkdtempSync(join(tmpdir(), 'momo-compiled-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const file = join(root, 'program.cjs');
  writeFileSync(file, text);
  return { file, identity: 'one', folder: join(root, 'compiled') };
}

const run = (program: ReturnType<typeof programOf>) =>
  runProgram<{ answer: () => unknown }>(program, require);

/** The only file of the folder. */
function keptFile({ folder }: ReturnType<typeof programOf>): string {
  const [name = '', ...more] = readdirSync(folder);
  expect(more).toEqual([]);
  return join(folder, name);
}

describe('a program', () => {
  test('is run as a CommonJS module', () => {
    const program = programOf('exports.answer = () => [__filename, require("node:path").sep];');
    expect(run(program).exports.answer()).toEqual([program.file, join('/')]);
  });

  test('is run by the code that was kept of it, and has nothing to keep then', () => {
    const program = programOf('exports.answer = () => 42;');
    run(program).keep?.();
    const again = run(program);
    expect(again.keep).toBeUndefined();
    expect(again.exports.answer()).toBe(42);
  });

  // V8 tells one source from another by its length alone.
  test('is not run by the code of another one as long as it', () => {
    const before = programOf('exports.answer = () => "before";');
    run(before).keep?.();
    writeFileSync(before.file, 'exports.answer = () => "after!";');
    const after = run({ ...before, identity: 'two' });
    expect(after.exports.answer()).toBe('after!');
    expect(after.keep).toBeDefined();
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['empty', () => Buffer.alloc(0)],
    ['cut short', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['altered at its end', (bytes) => altered(bytes, bytes.length - 1)],
    ['altered in its midst', (bytes) => altered(bytes, bytes.length / 2)],
    ['something else', () => Buffer.from('<!doctype html>'.repeat(100))],
  ])('is compiled again where what was kept is %s', (_what, change) => {
    const program = programOf('exports.answer = () => 42;');
    run(program).keep?.();
    const kept = keptFile(program);
    writeFileSync(kept, change(readFileSync(kept)));
    const again = run(program);
    expect(again.exports.answer()).toBe(42);
    again.keep?.();
    expect(run(program).keep).toBeUndefined();
    expect(keptFile(program)).toBe(kept);
  });

  test('runs where nothing can be kept', () => {
    const program = programOf('exports.answer = () => 42;');
    writeFileSync(program.folder, 'a file where the folder should be');
    const { exports, keep } = run(program);
    expect(exports.answer()).toBe(42);
    expect(keep).not.toThrow();
    expect(readFileSync(program.folder, 'utf8')).toMatch(/^a file/);
  });

  test('that fails says so as itself', () => {
    const program = programOf('\nthrow new RangeError("mine");');
    expect(() => run(program)).toThrow(RangeError);
  });
});

function altered(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(Math.floor(at)) ^ 0x55, Math.floor(at));
  return copy;
}
