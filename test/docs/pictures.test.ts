import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSources } from '../architecture/sources.ts';
import { ROOT, readDocument } from './documents.ts';

it('the pictures show no text that src no longer has: npm run screenshots', () => {
  // build/screenshots.mjs writes it with the pictures.
  const texts: string[] = JSON.parse(readDocument('docs/images/live-page.json'));
  expect(texts.length).toBeGreaterThan(30);
  const sources = readSources().map(({ path }) => readDocument(`src/${path}`));
  expect(texts.filter((text) => !sources.some((source) => source.includes(text)))).toEqual([]);
});

it('a page shows each picture that there is', () => {
  const pictures = readdirSync(join(ROOT, 'docs/images')).filter((file) => file.endsWith('.png'));
  const shown = ['README.md', 'docs/simulate.md'].map(readDocument).join('\n');
  for (const picture of pictures) expect(shown).toContain(picture);
});
