import { expect, it } from 'vitest';
import { REDACTED, Redactor } from '../../src/mock/redaction/redaction.ts';
import { newToken } from '../../src/mock/redaction/token-text.ts';

const redact = (text: string) => new Redactor().redact(text);

it('a token has 28 letters and digits, and is redacted in any letter case', () => {
  const tokens = Array.from({ length: 1000 }, newToken);
  expect(new Set(tokens).size).toBe(1000);
  for (const token of tokens) {
    expect(token).toMatch(/^[A-Za-z\d]{28}$/);
    expect([redact(token), redact(token.toUpperCase())]).toEqual([REDACTED, REDACTED]);
  }
});

it('a token is redacted between other letters, and so are two that follow one another', () => {
  expect(redact(`xyz${newToken()}xyz`)).toBe(`xyz${REDACTED}xyz`);
  expect(redact(`${newToken()}${newToken()} a`)).toMatch(/^(\[redacted\])+ a$/);
});

it('a token that is cut is redacted, and other texts are not', () => {
  expect(redact(`a ${newToken().slice(0, 20)}`)).toBe(`a ${REDACTED}`);
  const other = newToken().slice(6);
  expect(redact(other)).toBe(other);
});
