import { randomBytes } from 'node:crypto';

export const TOKEN = '^momo7k[A-Za-z0-9]{22}$';

/** Tokens in a text in lower case, and what a cut left of one. */
export const TOKENS = /momo7k[a-z\d]{4,22}/g;

/**
 * 28 letters and digits. Redaction finds every token by its beginning, without remembering any: a mock
 * may issue millions.
 */
export function newToken(): string {
  const random = randomBytes(64).toString('base64').replaceAll(/\W/g, '');
  return `momo7k${random.slice(0, 22)}`;
}
