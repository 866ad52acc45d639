import { describe, expect, it } from 'vitest';
import { readDocument } from '../docs/documents.ts';
import { ciFiles } from './written.ts';

const PAGE = 'docs/containers-and-ci.md';
/** An image of momo-mock that is not on this machine alone. */
const IMAGE = /[\w.]+\/OWNER\/momo-mock:[\w.]+/g;
const PUSHED = ciFiles(/./).filter((path) => readDocument(path).search(IMAGE) > -1);

describe.each(PUSHED)('%s', (path) => {
  it('shows how to build and push the image that it uses', () => {
    const text = readDocument(path);
    const images = [...new Set(text.match(IMAGE))];
    expect(images).toHaveLength(1);
    for (const line of [`docker build -t ${images[0]} .`, `docker push ${images[0]}`]) {
      expect(text.split('\n').map((one) => one.replace(/^(?:#|\/\/) +/, ''))).toContain(line);
    }
  });
});

it.each(ciFiles(/./))('%s names no tag of the repository, because nothing is released', (path) => {
  expect(readDocument(path)).not.toMatch(/\.git#/);
});

it(`${PAGE} links each file`, () => {
  const text = readDocument(PAGE);
  expect(ciFiles(/./).filter((path) => !text.includes(`](../${path})`))).toEqual([]);
});
