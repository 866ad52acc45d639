import { expect, it } from 'vitest';
import { findTokens, isToken, newToken } from '../../src/mock/redaction/token-text.ts';

it('a token has 28 letters and digits, and is recognized in any letter case', () => {
  const tokens = Array.from({ length: 1000 }, newToken);
  expect(new Set(tokens).size).toBe(1000);
  for (const token of tokens) {
    expect(token).toMatch(/^[A-Za-z\d]{28}$/);
    expect(isToken(token) && isToken(token.toUpperCase())).toBe(true);
  }
});

it('a token is found between other letters, and two that follow one another', () => {
  const [a, b] = [newToken().toLowerCase(), newToken().toLowerCase()];
  expect(findTokens(`xyz${a}${b}xyz ${a}`, false)).toEqual([
    { start: 3, end: 31 },
    { start: 31, end: 59 },
    { start: 63, end: 91 },
  ]);
});

it('other texts are not tokens', () => {
  const texts = Array.from({ length: 1000 }, () => newToken().split('').reverse().join(''));
  expect(texts.filter(isToken)).toEqual([]);
  expect(isToken(newToken().slice(1))).toBe(false);
  expect(isToken(`${newToken()}a`)).toBe(false);
});

it('before a cut, what may be the beginning of a token counts too', () => {
  const begun = newToken().toLowerCase().slice(0, 20);
  expect(findTokens(`a ${begun}`, true)).toEqual([{ start: 2, end: 22 }]);
  expect(findTokens(`${'x'.repeat(99)}${begun}`, true)).toEqual([{ start: 92, end: 119 }]);
  expect(findTokens(`a ${begun}`, false)).toEqual([]);
  expect(findTokens('a xyz', true)).toEqual([]);
});
