import { expect } from 'vitest';
import { blockOf, blocksOf, readDocument, rowsBelow } from './documents.ts';
import { type Example, examplesOf } from './examples.ts';
import { type NodeProject, openNodeProject } from './node-project.ts';

export const PAGE = readDocument('docs/drill.md');

/** What the page shows of a command: the line of each failure, with its advice, and without times. */
export function failuresIn(output: string): Record<string, string> {
  const parts = output.split(/^ *\d+\/\d+ /m).slice(1);
  const texts = parts.map((text) => {
    const [result = ''] = text.split('\n\n');
    return result
      .replaceAll(/\d\d:\d\d:\d\d\.\d+/g, 'TIME')
      .replaceAll(/\(\d+\.\d s\)/g, '(TIME)')
      .replaceAll(/\s+/g, ' ')
      .trim();
  });
  return Object.fromEntries(texts.map((text) => [text.split(' ')[1], text]));
}

/** The shop of the tutorial, with its two bugs. */
export function openTutorial(): NodeProject {
  const project = openNodeProject();
  project.write('shop.js', blockOf(PAGE, 'js shop'));
  project.write('momo-mock.drill.json', blockOf(PAGE, 'json config'));
  return project;
}

/** Fixes the shop as the tutorial does. */
export function fixShop(project: NodeProject): void {
  const fixes = blocksOf(PAGE).filter(({ info }) => info === 'diff fix');
  const fixed = fixes.reduce(
    (shop, { text }) => {
      const [before, after] = ['-', '+'].map((sign) => linesOf(text, sign));
      expect(shop).toContain(before);
      return shop.replace(before ?? '', () => after ?? '');
    },
    blockOf(PAGE, 'js shop'),
  );
  project.write('shop.js', fixed);
}

/** The lines of a diff that are there before (`-`) or after (`+`). */
function linesOf(diff: string, sign: string): string {
  const lines = diff.split('\n').filter((line) => line.startsWith(' ') || line.startsWith(sign));
  return lines.map((line) => line.slice(1)).join('\n');
}

/** Runs a drill, however it ends. */
export function drillIn(project: NodeProject, line: string): string {
  return project.run(`${line.replace('npx ', '')}; echo "exit code $?"`);
}

/** What a block of a page shows. */
export function exampleIn(page: string, info: string): Example {
  const [example] = examplesOf(`\`\`\`console\n${blockOf(page, info)}\`\`\``);
  if (example === undefined) throw new Error(`${info} has no command`);
  return example;
}

/** The rows of the tables of one section, without those of its subsections. */
export function rowsOf(heading: string): string[][] {
  const sections = PAGE.split(/^(?=#+ )/m);
  return sections
    .filter((section) => /^#+ (.*)/.exec(section)?.[1] === heading)
    .flatMap((section) => rowsBelow(section, heading));
}
