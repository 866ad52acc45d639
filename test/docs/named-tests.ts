import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readDocument } from './documents.ts';

/** A test that holds what a page says. */
export interface NamedTest {
  /** Its path from the folder of the project. */
  readonly file: string;
  /** As it stands in the file, with the placeholders of an `each`. */
  readonly title: string;
}

/** The tests that a text links: `[name](../test/x.test.ts "title")`. */
export function linkedTests(text: string): NamedTest[] {
  const links = text.matchAll(/\]\(\.\.\/(test\/[^)\s]+) "([^"]+)"\)/g);
  return [...links].map(([, file = '', title = '']) => ({ file, title }));
}

/** The code of a test, with the table of an `each`; undefined where no test has the title. */
export function codeOfTest({ file, title }: NamedTest): string | undefined {
  if (!existsSync(join(ROOT, file))) return undefined;
  const lines = readDocument(file).split('\n');
  const quoted = [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``];
  const statements = lines.flatMap((line, start) => {
    const [, indent] = /^( *)(?:it|test)\b/.exec(line) ?? [];
    if (indent === undefined) return [];
    // The formatter puts the end of a statement below its beginning.
    const length = lines
      .slice(start)
      .findIndex((last) => last.match(/^ *(?=\}?\);$)/)?.[0] === indent);
    return [lines.slice(start, length === -1 ? start + 1 : start + length + 1).join('\n')];
  });
  const found = statements.filter((code) => quoted.some((text) => code.includes(text)));
  return found.length === 0 ? undefined : found.join('\n');
}

/** Whether a test that ran is the one with this title, in which `%s` and such stand for any text. */
export function isNamed(name: string, title: string): boolean {
  const parts = title
    .split(/%[sdifjo]|\$\w+/)
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}
