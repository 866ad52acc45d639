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
    Math.max(...keys.map((key) => (text.startsWith(key, start) ? start + key.length : start))),
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

test('keys are found wherever a naive search finds them, whenever they were added', () => {
  const choose = random(SEED);
  for (let run = 0; run < times(20_000, 500); run++) {
    const redactor = new Redactor();
    const keys: string[] = [];
    for (let added = 0; added < 3; added++) {
      for (let count = choose.below(8); count > 0; count--) {
        const key = textOf(choose, 4 + choose.below(9));
        redactor.remember(key);
        // A form writes a space as +.
        keys.push(key.replaceAll('+', ' '), key);
      }
      const text = textOf(choose, choose.below(80));
      if (keys.length > 0) expect(redactor.redact(text)).toBe(naively(text, keys));
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
  expect(shown('see abc')).toBe('see abc');
  expect(shown('see abcd and more')).toBe('see abcd and more');
});
