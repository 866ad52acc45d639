import { blocksOf, readDocument } from '../docs/documents.ts';

/** A block such as `sh excerpt examples/curl/test.sh`, which shows lines of a file. */
export interface Excerpt {
  readonly file: string;
  readonly text: string;
}

/** The excerpts of a page. */
export function excerptsOf(page: string): Excerpt[] {
  return blocksOf(readDocument(page)).flatMap(({ info, text }) => {
    const file = /^\w+ excerpt (\S+)$/.exec(info)?.[1];
    return file === undefined ? [] : [{ file, text }];
  });
}

/** Whether a file has the lines of an excerpt, one after the other, at any indentation. */
export function isTrue({ file, text }: Excerpt): boolean {
  const lines = text.trimEnd().split('\n');
  const all = readDocument(file).split('\n');
  return all.some((_line, index) => {
    const there = all.slice(index, index + lines.length);
    return withoutIndent(there).join('\n') === lines.join('\n');
  });
}

function withoutIndent(lines: readonly string[]): string[] {
  const filled = lines.filter((line) => line.trim() !== '');
  const indent = Math.min(...filled.map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent));
}
