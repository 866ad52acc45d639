import { CONSTANTS } from './constants.ts';
import { readDocument, rowsBelow } from './documents.ts';
import type { NamedTest } from './named-tests.ts';

/** A fact that a page states, from a row of facts.md. */
export interface Fact {
  readonly page: string;
  /** Words of the paragraph, in any letter case. */
  readonly about: string;
  /** What stands there, in any letter case; `…` is any text. */
  readonly says: string;
  /** Left out where a constant holds it. */
  readonly test?: NamedTest;
}

const FACTS_FILE = 'test/docs/facts.md';

/** The facts of all pages. */
export function readFacts(): Fact[] {
  const document = readDocument(FACTS_FILE);
  const pages = [...document.matchAll(/^## (.+)$/gm)].map(([, page = '']) => page);
  return pages.flatMap((page) =>
    rowsBelow(document, page.replaceAll('.', '\\.')).map(([about = '', text = '', by = '']) => {
      const says = text.replace(/\{(\w+)\}/g, (_, name) => {
        const value = CONSTANTS[name];
        if (value === undefined) throw new Error(`constants.ts has no ${name}, as ${page} wants`);
        return value;
      });
      const [, file, title] = /^([\w/-]+): (.+)$/.exec(by) ?? [];
      if (file === undefined || title === undefined) return { page, about, says };
      return { page, about, says, test: { file: `test/${file}.test.ts`, title } };
    }),
  );
}

/** A part of a page that is about one thing: a paragraph, a row of a table, an item of a list. */
export interface Paragraph {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** The paragraphs of a page, without its blocks of code, which other tests run. */
export function paragraphsOf(page: string): Paragraph[] {
  const blank = (text: string) => text.replace(/[^\n]/g, '');
  const prose = readDocument(page)
    .replace(/^```[\s\S]*?^```$/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/\]\([^)]*\)/g, ']');
  const paragraphs: Paragraph[] = [];
  let isOpen = false;
  for (const [index, text] of prose.split('\n').entries()) {
    const last = paragraphs.at(-1);
    const isBlank = text.trim() === '';
    if (isOpen && last && !isBlank && !/^(?:\||- |#| {4})/.test(text)) {
      paragraphs.splice(-1, 1, { ...last, text: `${last.text} ${text}` });
    } else if (!isBlank) paragraphs.push({ line: index + 1, text });
    isOpen = !isBlank && !/^(?:\||#| {4})/.test(text);
  }
  return paragraphs;
}

/** A part of a text, from its first character to the one behind its last. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Where a paragraph states a fact. */
export function placesOf({ about, says }: Fact, { text }: Paragraph): Place[] {
  if (!text.toLowerCase().includes(about.toLowerCase())) return [];
  // Whole words and numbers: `5 s` is not in `75 s`.
  const pieces = says.split(' … ').map((piece) => {
    const escaped = piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return `(?<!\\w|\\d[.,])${escaped}(?![.,]?\\d)${/\w$/.test(piece) ? '(?!\\w)' : ''}`;
  });
  const found = text.matchAll(new RegExp(pieces.join('.*?'), 'gi'));
  return [...found].map(({ 0: { length }, index }) => ({ start: index, end: index + length }));
}

/** A number in a text. */
export interface FoundNumber extends Place {
  /** Without separators. */
  readonly digits: string;
}

/**
 * The numbers of a text that mean something by themselves: not those of names (`UTF-8`, `2xx`, C1),
 * nor what stands in backticks.
 */
export function numbersIn(text: string): FoundNumber[] {
  const prose = text.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length));
  const found = prose.matchAll(/(?<![\w:…-]|\w\.)\d+(?:[.,]\d+)*(?![\w-])/g);
  return [...found].map(({ 0: number, index }) => ({
    digits: number.replaceAll(',', ''),
    start: index,
    end: index + number.length,
  }));
}

/** Whether code has a number, in decimal digits with or without separators. */
export function hasNumber(code: string, digits: string): boolean {
  const numbers = code.replaceAll(/(?<=\d)_|(?<=0)o/g, '').matchAll(/\d+(?:\.\d+)*/g);
  return [...numbers].some(([number]) => number === digits);
}
