import { describe, expect, it } from 'vitest';
import { firstAndLastLines, LineSplitter, Output, plainText } from '../../src/cli/drill/output.ts';

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('');

describe('what a program wrote', () => {
  it('is shown in whole, up to ten lines', () => {
    expect(firstAndLastLines(`${lines(1, 10)}\n`)).toBe(
      Array.from({ length: 10 }, (_, index) => `\n  line ${index + 1}`).join(''),
    );
    expect(firstAndLastLines('')).toBe('');
    expect(firstAndLastLines('\n')).toBe('');
  });

  it('is shown with its first and last lines, where a stack begins and a log ends', () => {
    expect(firstAndLastLines(lines(1, 30))).toBe(
      [1, 2, 3, 0, 24, 25, 26, 27, 28, 29, 30]
        .map((line) => `\n  ${line === 0 ? '…' : `line ${line}`}`)
        .join(''),
    );
  });

  it('has no colors, and no long line', () => {
    expect(plainText('\x1b[31mred\x1b[0m\r\n\ttab\x07')).toBe('red\n\ttab');
    expect(firstAndLastLines('x'.repeat(501))).toBe(`\n  ${'x'.repeat(500)}…`);
  });

  it('is kept in whole while it is short, however it arrives', () => {
    const output = new Output();
    const text = 'x'.repeat(29_999);
    for (const part of text.match(/.{1,700}/g) ?? []) output.add(part);
    expect(output.text).toBe(text);
  });

  it.each([700, 100_000, 3_000_000])('is kept without its middle, in parts of %i', (size) => {
    const output = new Output();
    const text = lines(1, 100_000);
    for (let at = 0; at < text.length; at += size) output.add(text.slice(at, at + size));
    const [beginning = '', end = ''] = output.text.split('…\n');
    expect(text.startsWith(beginning)).toBe(true);
    expect(text.endsWith(end)).toBe(true);
    // No line is a part of one.
    expect(`${beginning}${end}`).toMatch(/^(line \d+\n)+$/);
    expect(end.startsWith('line ')).toBe(true);
    expect(beginning.length).toBeGreaterThan(16_000);
    expect(end.length).toBeGreaterThan(16_000);
    expect(output.text.length).toBeLessThan(70_000);
  });

  it('is passed on in whole lines, without those that are too long', () => {
    const passed: string[] = [];
    const splitter = new LineSplitter((text) => passed.push(text));
    for (const text of ['a', 'b\nc\nd', 'e', '\n']) splitter.add(text);
    expect(passed).toEqual(['ab\nc\n', 'de\n']);
    for (let part = 0; part < 3; part++) splitter.add('x'.repeat(600_000));
    splitter.add('secret\nnext\nlast');
    splitter.end();
    splitter.end();
    expect(passed.slice(2)).toEqual(['…\nnext\n', 'last\n']);
  });
});
