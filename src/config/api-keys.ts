import type { KeyEntry } from '../mock/accounts.ts';

/** The documented key, used when no other is configured. */
export const DEFAULT_KEY = 'momo_test_key';

/** Keys from one place: a setting, an option or a file. */
export interface KeySource {
  /** How the place is called in a sentence, such as `MOMO_MOCK_API_KEYS`. */
  readonly name: string;
  /** An error where the place could not be read. */
  readonly entries: readonly string[] | Error;
}

/** The entries of a file that has one a line. */
export function keyLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '');
}

/**
 * Reads the keys of all places together.
 *
 * @returns the entries, and a sentence for each thing that is wrong. No sentence holds a key, or
 *   a variant: that may be a part of a key
 */
export function readKeys(sources: readonly KeySource[]): { keys: KeyEntry[]; problems: string[] } {
  const keys: KeyEntry[] = [];
  const problems: string[] = [];
  /** Where each key was given before. */
  const places = new Map<string, string>();
  for (const { name, entries } of sources) {
    if (entries instanceof Error) {
      const { code, path } = entries as NodeJS.ErrnoException;
      const file = path === undefined ? 'it' : path;
      const reason =
        code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read (${code})`;
      problems.push(`Failed to read ${name}: ${reason}. Give the path of a file that can be read.`);
      continue;
    }
    if (entries.length === 0) {
      problems.push(`Failed to read ${name}: it holds no key. Give at least one.`);
    }
    entries.forEach((text, index) => {
      const place = `${name}, entry ${index + 1}`;
      const entry = readKeyEntry(text);
      const problem = problemOf(entry.key, places.get(entry.key));
      places.set(entry.key, place);
      if (problem === undefined) keys.push(entry);
      else problems.push(`Failed to read ${place}: ${problem}`);
    });
  }
  return { keys, problems };
}

/**
 * Reads `KEY` or `KEY=VARIANT`. An `=` at the end belongs to the key (base64 ends so), and so does
 * every `=` before the last.
 */
function readKeyEntry(entry: string): KeyEntry {
  const match = /^(.+)=([A-Za-z0-9_-]+)$/.exec(entry);
  return match?.[1] === undefined ? { key: entry } : { key: match[1], variant: match[2] };
}

/** @param samePlace where the same key was given before */
function problemOf(key: string, samePlace: string | undefined): string | undefined {
  if (key === '') return 'the key is empty. Remove the entry, or set what it is made from.';
  if (/[^!-~]/.test(key))
    return 'the key has white space or letters beyond ASCII in it. Give one without.';
  return samePlace && `it is the same key as ${samePlace}. Give each key once.`;
}
