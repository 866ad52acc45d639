import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DOCUMENTS, ROOT } from './documents.ts';

/** Turns over which readers stumbled, each with what to write instead. */
const TURNED: readonly (readonly [turn: RegExp, instead: string])[] = [
  [/\bso (?:many|long|much)\b(?! (?:that|as)\b)/i, 'this many; the maximum time; the delay'],
  [/\bamong (?:them|others)\b/i, 'including; it may have more'],
  [/\b(?:it is|is it) (?:not )?so\b|\bnot so\b/i, 'until the expectation is met'],
  [/\band nothing else\b/i, 'and that there were no others'],
  [/\bnothing (?:runs )?but\b/i, 'only'],
  [/\bnobody can\b/i, 'cannot'],
  [/\bwhat is configured for\b/i, 'own settings take priority'],
  [/\bwhat \S+ has is\b|\bfrom the start\b/i, 'starts with; initial'],
  [/\bin the place of\b/i, 'instead of'],
];

/** What people read: pages, and what ships with descriptions, help, hints and types. */
const READ = [
  ...DOCUMENTS,
  ...['src', 'examples', 'fixtures'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .map((name) => `${folder}/${name}`)
      .filter((name) => !/node_modules|__pycache__/.test(name) && /\.\w+$/.test(name)),
  ),
];

it('no page, description or example has a turn over which readers stumbled', () => {
  const found = READ.flatMap((path) => {
    // A sentence of a comment goes on in its next line.
    const text = readFileSync(join(ROOT, path), 'utf8').replace(/\n\s*(?:\*|\/\/|#) /g, ' ');
    return TURNED.flatMap(([turn, instead]) => {
      const [turned] = turn.exec(text) ?? [];
      return turned === undefined ? [] : [`${path}: "${turned}". Write: ${instead}`];
    });
  });
  expect(READ.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
});
