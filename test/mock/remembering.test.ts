import { describe, expect, it } from 'vitest';
import { remembering } from '../../src/mock/remembering.ts';

/** A function that tells how often it was asked, and remembers its answers. */
function counted() {
  const asked: string[] = [];
  const length = remembering((text) => {
    asked.push(text);
    return { length: text.length };
  });
  return { asked, length };
}

describe('a function that remembers', () => {
  it('finds what it found before, of each text its own', () => {
    const { asked, length } = counted();
    expect(length('ab')).toBe(length('ab'));
    expect(length('abc')).toEqual({ length: 3 });
    expect(asked).toEqual(['ab', 'abc']);
  });

  it('remembers no endless number of texts, and no long ones', () => {
    const { asked, length } = counted();
    const long = 'x'.repeat(10_000);
    for (let round = 0; round < 2; round++) {
      expect(length(long)).toEqual({ length: 10_000 });
      for (let number = 0; number < 1500; number++) length(`text ${number}`);
    }
    expect(asked.filter((text) => text === long)).toHaveLength(2);
    expect(asked).toHaveLength(2 + 1500 + 500);
  });
});
