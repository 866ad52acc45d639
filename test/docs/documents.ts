import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The documents that people read, by their path from the folder of the project. */
export const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'AGENTS.md',
  'llms.txt',
  'certs/README.md',
  'bench/performance.md',
  'test/reliability.md',
  'test/mutation/survivors.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .map((name) => `docs/${name}`)
    .filter((name) => name.endsWith('.md')),
];

/** The text of a document. */
export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

const FENCED = /^```(.*)\n([\s\S]*?)^```$/gm;

/** A fenced block: what stands behind its fence, such as `json file=x.json`, and its text. */
export interface Block {
  readonly info: string;
  readonly text: string;
}

/** The fenced blocks of a document. */
export function blocksOf(document: string): Block[] {
  const found = document.matchAll(FENCED);
  return [...found].map(([, info = '', text = '']) => ({ info, text }));
}

/** A fixture file that a document shows: a block such as `json file=momo/balance.get.json`. */
export interface FileBlock {
  readonly file: string;
  readonly text: string;
}

/** The fixture files that a document shows. */
export function filesOf(document: string): FileBlock[] {
  return blocksOf(document).flatMap(({ info, text }) => {
    const file = /^\w+ file=(.+)$/.exec(info)?.[1];
    return file === undefined ? [] : [{ file, text }];
  });
}

/** The same files for `writeFiles`, in the folder `fixtures`. */
export function fixturesOf(files: readonly FileBlock[]): Record<string, string> {
  return Object.fromEntries(files.map(({ file, text }) => [`fixtures/${file}`, text]));
}

/** The one block with this information. */
export function blockOf(document: string, info: string): string {
  const found = blocksOf(document).filter((block) => block.info === info);
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} blocks are ${info}`);
  return found[0].text;
}

/** The cells of all rows of the tables below a heading, without the tables' heads. */
export function rowsBelow(document: string, heading: string): string[][] {
  const [, section = ''] = document.split(new RegExp(`^#+ ${heading}\\n`, 'm'));
  const [own = ''] = section.split(/^## /m);
  const lines = own.split('\n').filter((line) => line.startsWith('|'));
  const isHead = (index: number) =>
    /^\|-/.test(lines[index] ?? '') || /^\|-/.test(lines[index + 1] ?? '');
  return lines
    .filter((_line, index) => !isHead(index))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** All lines of code in a document: of fenced and indented blocks, and what stands in backticks. */
export function codeOf(document: string): string[] {
  const fenced = blocksOf(document).flatMap(({ text }) =>
    text.replaceAll(/\\\n\s*/g, '').split('\n'),
  );
  const prose = document.replaceAll(FENCED, '');
  const indented = [...prose.matchAll(/^ {4}(.*)$/gm)].map(([, line = '']) => line);
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...fenced, ...indented, ...inline].map((line) => line.trim());
}

/** The causes of errors by their codes, as the comments above the codes say. */
export function errorCauses(): ReadonlyMap<string, string> {
  const sources = ['src/errors.ts', 'src/control/control-error.ts'].map(readDocument).join('\n');
  const codes = [
    ...sources.matchAll(/(?:\/\*\* (.+)\. \*\/\n)? {2}(?:\| ')?(MOMO_MOCK_\w+)(?:: \d|')/g),
  ];
  const causes = new Map(
    codes.flatMap(([, cause, code = '']) => (cause === undefined ? [] : [[code, cause] as const])),
  );
  const unexplained = codes.map(([, , code = '']) => code).filter((code) => !causes.has(code));
  if (unexplained.length > 0) throw new Error(`no comment above ${unexplained.join(', ')}`);
  return causes;
}
