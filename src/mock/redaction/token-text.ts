import { randomBytes } from 'node:crypto';
import { MIN_LENGTH, type Span } from './automaton.ts';

const LENGTH = 28;
const RANDOM_LENGTH = 21;

/**
 * A token of 28 letters and digits. The last 7 are a checksum of the others, so redaction recognizes
 * every token without remembering any: a mock may issue millions.
 */
export function newToken(): string {
  const random = randomBytes(64).toString('base64').replaceAll(/\W/g, '').slice(0, RANDOM_LENGTH);
  return random + checksum(random.toLowerCase());
}

export function isToken(text: string): boolean {
  return text.length === LENGTH && findTokens(text.toLowerCase(), false).length > 0;
}

/** The places of tokens in a text in lower case. Before a cut, what may begin one also counts. */
export function findTokens(lower: string, isCut: boolean): Span[] {
  const spans: Span[] = [];
  for (const { 0: run, index } of lower.matchAll(/[a-z\d]{28,}/g)) {
    for (let at = 0; at + LENGTH <= run.length; at++) {
      const end = at + LENGTH;
      const check = run.slice(at + RANDOM_LENGTH, end);
      if (check !== checksum(run.slice(at, at + RANDOM_LENGTH))) continue;
      spans.push({ start: index + at, end: index + end });
    }
  }
  const begun = isCut ? (/[a-z\d]{0,27}$/.exec(lower)?.[0].length ?? 0) : 0;
  if (begun >= MIN_LENGTH) spans.push({ start: lower.length - begun, end: lower.length });
  return spans;
}

/** FNV-1a, as 7 letters and digits. */
function checksum(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  }
  return (hash >>> 0).toString(36).padStart(LENGTH - RANDOM_LENGTH, '0');
}
