import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';

interface Loaded {
  readonly program: { run(): unknown; more?(): unknown };
  keep(): void;
  isKept(): boolean;
}

const load: (file: string) => Loaded = createRequire(import.meta.url)(
  '../../build/loader/load.cjs',
);

/** A program in a folder of its own. */
function programOf(text: string) {
  const root = temporaryFolder();
  const file = join(root, 'program.cjs');
  writeFileSync(file, text);
  return { file, folder: join(root, 'compiled') };
}

/** The only file of the folder with compiled code. */
function keptFile(folder: string): string {
  const [name = '', ...more] = readdirSync(folder);
  expect(more).toEqual([]);
  return join(folder, name);
}

/** Whether the program was compiled, so that its code is written when it is kept. */
function isCompiled({ keep }: Loaded, folder: string): boolean {
  const before = statSync(keptFile(folder)).ino;
  keep();
  return statSync(keptFile(folder)).ino !== before;
}

describe('the loader', () => {
  test('runs a program as a CommonJS module', () => {
    const { file } = programOf('exports.run = () => [__filename, require("node:path").sep];');
    expect(load(file).program.run()).toEqual([file, join('/')]);
  });

  test('runs a program with the compiled code on disk, and then writes none', () => {
    const { file, folder } = programOf('exports.run = () => 42;');
    const first = load(file);
    expect(first.program.run()).toBe(42);
    first.keep();
    const again = load(file);
    expect(again.program.run()).toBe(42);
    expect(isCompiled(again, folder)).toBe(false);
  });

  // V8 tells one program from another only by its length.
  test('does not run a program with the compiled code of another program of the same length', () => {
    const { file, folder } = programOf('exports.run = () => "before";');
    load(file).keep();
    writeFileSync(file, 'exports.run = () => "after!";');
    const after = load(file);
    expect(after.program.run()).toBe('after!');
    expect(isCompiled(after, folder)).toBe(true);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['empty', () => Buffer.alloc(0)],
    ['cut short', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['changed at its end', (bytes) => changed(bytes, bytes.length - 1)],
    ['changed in the middle', (bytes) => changed(bytes, bytes.length / 2)],
    ['something else', () => Buffer.from('<!doctype html>'.repeat(100))],
  ])('compiles a program again if the compiled code on disk is %s', (_what, change) => {
    const { file, folder } = programOf('exports.run = () => 42;');
    load(file).keep();
    const kept = keptFile(folder);
    writeFileSync(kept, change(readFileSync(kept)));
    const again = load(file);
    expect(again.program.run()).toBe(42);
    expect(isCompiled(again, folder)).toBe(true);
    expect(isCompiled(load(file), folder)).toBe(false);
    expect(keptFile(folder)).toBe(kept);
  });

  test('writes no compiled code until most of the program is compiled', () => {
    const later = `const all = [${'Math.random(), '.repeat(1000)}]; return all.length;`;
    const { file, folder } = programOf(`exports.run = () => { ${later} };`);
    const { program, keep } = load(file);
    keep();
    expect(existsSync(folder)).toBe(false);
    expect(program.run()).toBe(1000);
    keep();
    expect(existsSync(folder)).toBe(true);
  });

  test('writes the compiled code again when more of the program is compiled', () => {
    const text = (calls: number) => `() => [${'Math.max(1, 2), '.repeat(calls)}].length`;
    const { file, folder } = programOf(`exports.run = ${text(1000)}; exports.more = ${text(300)};`);
    const first = load(file);
    expect([first.program.run(), first.isKept()]).toEqual([1000, false]);
    first.keep();
    const second = load(file);
    expect([second.program.run(), second.isKept()]).toEqual([1000, true]);
    expect(isCompiled(second, folder)).toBe(false);
    expect(second.program.more?.()).toBe(300);
    expect(isCompiled(second, folder)).toBe(true);
    expect(isCompiled(second, folder)).toBe(false);
  });

  test('runs a program where it cannot write the compiled code', () => {
    const { file, folder } = programOf('exports.run = () => 42;');
    writeFileSync(folder, 'a file in the place of the folder');
    const { program, keep } = load(file);
    expect(program.run()).toBe(42);
    expect(keep).not.toThrow();
    expect(readFileSync(folder, 'utf8')).toMatch(/^a file/);
  });

  test('throws the error that the program throws', () => {
    const { file } = programOf('\nthrow new RangeError("mine");');
    expect(() => load(file)).toThrow(RangeError);
  });
});

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(Math.floor(at)) ^ 0x55, Math.floor(at));
  return copy;
}
