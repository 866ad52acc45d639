import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AhoCorasick } from '../../../src/mock/redaction/aho-corasick.ts';
import { runs } from '../../endurance/scale.ts';

/** For each end of a word in a text, the place of the longest word that ends there. */
function longestAtEachEnd(words: readonly string[], text: string) {
  const ends = Array.from({ length: text.length }, (_none, index) => index + 1);
  return ends.flatMap((end) => {
    const found = words.filter((word) => text.slice(0, end).endsWith(word));
    const longest = Math.max(0, ...found.map(({ length }) => length));
    return longest === 0 ? [] : [{ start: end - longest, end }];
  });
}

// Few letters, so that words are the beginnings, ends and middles of one another.
const text = (most: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', '\0', 'é'), maxLength: most });

test('finds every word, at any place and with any overlap', () => {
  const words = fc.array(text(6).filter(Boolean), { maxLength: 12 });
  const property = fc.property(words, text(40), (some, read) => {
    expect(new AhoCorasick(some).find(read)).toEqual(longestAtEachEnd(some, read));
  });
  fc.assert(property, runs(100_000, 2000));
});

test.each<[string, string[], string, [number, number][]]>([
  ['no word', [], 'abc', []],
  [
    'a word in a word',
    ['abcd', 'bc'],
    'abcd',
    [
      [1, 3],
      [0, 4],
    ],
  ],
  [
    'a word that goes on as another',
    ['abab'],
    'ababab',
    [
      [0, 4],
      [2, 6],
    ],
  ],
  ['a word twice', ['ab', 'ab'], 'ab', [[0, 2]]],
  [
    'a word behind the beginning of another',
    ['aab', 'abc'],
    'aabc',
    [
      [0, 3],
      [1, 4],
    ],
  ],
])('finds %s', (_what, words, read, places) => {
  const spans = places.map(([start, end]) => ({ start, end }));
  expect(new AhoCorasick(words).find(read)).toEqual(spans);
});
