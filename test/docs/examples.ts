import { expect } from 'vitest';
import { writeFiles } from '../support/fixture-folder.ts';
import { blocksOf, type FileBlock, filesOf, fixturesOf } from './documents.ts';
import { openShell, type Ready, type Shell } from './shell.ts';

/** A part of a document, by its heading. */
export interface Section {
  readonly title: string;
  readonly text: string;
  /** The fixture files that the document shows up to the end of this part. */
  readonly files: readonly FileBlock[];
}

/** The parts of a document that have a heading of the second level. */
export function sectionsOf(document: string): Section[] {
  const parts = document.split(/^## /m).slice(1);
  return parts.map((text, index) => ({
    title: text.slice(0, text.indexOf('\n')),
    text,
    files: filesOf(parts.slice(0, index + 1).join('')),
  }));
}

/** A command that a document shows, and what it shows that it writes. */
export interface Example {
  readonly command: string;
  readonly output: string;
}

/** The commands of a text's `console` blocks. */
export function examplesOf(text: string): Example[] {
  const shown = blocksOf(text).filter(({ info }) => info === 'console');
  const lines = shown.flatMap((block) => block.text.split(/^\$ /m).slice(1));
  return lines.map((line) => {
    const [, command = '', output = ''] = /^((?:.*\\\n)*.*)\n([\s\S]*)$/.exec(line) ?? [];
    return { command, output: output.trim() };
  });
}

/**
 * Runs the examples of a section, one after the other, against a mock that is started as the
 * section's first `sh` block says. Each has to write what is shown, with anything where it has `…`.
 *
 * @param files the fixture files of the mock
 */
export async function tryExamples(text: string, files: readonly FileBlock[] = []): Promise<void> {
  const [start = 'momo-mock'] = blocksOf(text)
    .filter(({ info }) => info === 'sh')
    .map((block) => block.text.trim());
  const shell = openShell();
  writeFiles(shell.folder, fixturesOf(files));
  const ready = await shell.start(start);
  // The default ports reach no mock that was started on others.
  const here = /--(control-)?port\b/.test(start) ? (line: string) => line : at.bind(null, ready);
  runExamples(shell, ready, here(text));
}

/** Runs the examples of a text against a mock that runs. Each has to write what is shown. */
export function runExamples(shell: Shell, ready: Ready, text: string): void {
  const env = { MOMO_MOCK_CONTROL_PORT: new URL(ready.controlUrl).port };
  for (const { command, output } of examplesOf(text)) {
    const printed = shell.run(command, env).trim();
    expect(printed, command).toMatch(matching(output));
  }
}

/** The ports of a mock that runs, in place of the default ones. */
export function at(ready: Ready, text: string): string {
  return text
    .replaceAll('https://localhost:8443', ready.url)
    .replaceAll(':localhost:8443', `:localhost:${ready.port}`)
    .replaceAll('http://localhost:8480', ready.controlUrl);
}

/** An output that is shown, with anything where it has `…`. */
export function matching(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]+')}$`);
}
