import { expect, test } from 'vitest';
import { REDACTED, Redactor } from '../../src/mock/redaction/redaction.ts';
import { SEED, times } from '../endurance/scale.ts';
import { type Random, random } from '../support/random.ts';

/** Few letters, so that keys overlap, contain one another and occur often. */
function textOf(choose: Random, length: number): string {
  return Array.from({ length }, () => choose.of('a', 'b', 'é', '+')).join('');
}

/** Replaces every occurrence of every key, and those that overlap as one. */
function naively(text: string, keys: readonly string[]): string {
  const ends = Array.from(text, (_, start) =>
    Math.max(start, ...keys.map((key) => (text.startsWith(key, start) ? start + key.length : 0))),
  );
  let redacted = '';
  for (let at = 0; at < text.length; ) {
    let end = ends[at] ?? at;
    if (end === at) redacted += text[at++];
    else {
      for (let inside = at; inside < end; inside++) end = Math.max(end, ends[inside] ?? 0);
      redacted += REDACTED;
      at = end;
    }
  }
  return redacted;
}

test('keys are found wherever a naive search finds them, whenever they were added or forgotten', () => {
  const choose = random(SEED);
  for (let run = 0; run < times(20_000, 500); run++) {
    const redactor = new Redactor();
    const all = ['é'];
    const keys: string[] = [];
    for (let round = 0; round < 4; round++) {
      for (let count = choose.below(8); count > 0; count--) {
        const key = textOf(choose, 4 + choose.below(9));
        redactor.remember(key);
        all.push(key);
        keys.push(key);
      }
      for (let count = choose.below(keys.length + 1); count > 0; count--) {
        for (const key of keys.splice(choose.below(keys.length), 1)) redactor.forget(key);
      }
      // Beginnings of keys, so that a search is often inside one when it finds another.
      const pieces = Array.from({ length: choose.below(12) }, () => choose.of(...all));
      const text = pieces.map((key) => key.slice(0, choose.below(key.length + 1))).join('');
      // A form writes a space as +.
      const forms = keys.flatMap((key) => [key, key.replaceAll('+', ' ')]);
      expect(redactor.redact(text)).toBe(naively(text, forms));
    }
  }
});

test('the beginning of a key is redacted before a cut, at most 5 characters of an escape away', () => {
  const redactor = new Redactor();
  const long = `abcd${'e'.repeat(1000)}f`;
  redactor.remember(long);
  const shown = (body: string) =>
    redactor.redactRequest({
      headers: {},
      path: null,
      operation: null,
      query: [],
      body,
      bodyCut: true,
    }).body;
  expect(shown('see abcd')).toBe(`see ${REDACTED}`);
  expect(shown(`see ${long.slice(0, 700)}`)).toBe(`see ${REDACTED}`);
  expect(shown('see abcde\\u006')).toBe(`see ${REDACTED}`);
  expect(shown('see abcde%5Cu006')).toBe(`see ${REDACTED}`);
  expect(shown('abcd')).toBe(REDACTED);
  expect(shown('see abc')).toBe('see abc');
  expect(shown('see abcd and more')).toBe('see abcd and more');
});

test('a few searches find all keys, and keys that were forgotten take no room for long', () => {
  const redactor = new Redactor();
  const keys = Array.from('abcdefgh', (letter) => letter.repeat(4));
  const counts = keys.map((key) => {
    redactor.remember(key);
    redactor.isSecret('any text');
    // Each search has a root, and these keys share no other node.
    return redactor.size.nodes - redactor.size.characters;
  });
  expect(counts).toEqual([1, 1, 1, 2, 1, 2, 2, 1]);
  const nodes = keys.map((key) => {
    redactor.forget(key);
    redactor.isSecret('any text');
    return redactor.size.nodes;
  });
  expect(nodes).toEqual([33, 33, 33, 33, 13, 13, 5, 0]);
});
