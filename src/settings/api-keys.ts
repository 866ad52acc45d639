/** The documented key, used when no other is configured. */
export const DEFAULT_KEY = 'momo_test_key';

export interface KeyEntry {
  readonly key: string;
  readonly variant?: string | undefined;
}

export interface KeySource {
  /** Messages name it, such as `MOMO_MOCK_API_KEYS`. */
  readonly name: string;
  /** The entries, or the error if the source could not be read. */
  readonly entries: readonly string[] | Error;
}

export function keyLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '');
}

/** No message contains a key, or a variant, which may be part of a key. */
export function readKeys(sources: readonly KeySource[]): { keys: KeyEntry[]; problems: string[] } {
  const keys: KeyEntry[] = [];
  const problems: string[] = [];
  const placeByKey = new Map<string, string>();
  for (const { name, entries } of sources) {
    if (entries instanceof Error) {
      const { code, path = 'it' } = entries as NodeJS.ErrnoException;
      const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
      problems.push(`Failed to read ${name}: ${path} ${reason}. Use the path of a readable file.`);
      continue;
    }
    if (entries.length === 0) {
      problems.push(`Failed to read ${name}: there is no key. Add at least one.`);
    }
    entries.forEach((text, index) => {
      const place = `${name}, entry ${index + 1}`;
      const entry = readKeyEntry(text);
      const problem = keyProblem(entry.key, placeByKey.get(entry.key));
      placeByKey.set(entry.key, place);
      if (problem === undefined) keys.push(entry);
      else problems.push(`Failed to read ${place}: ${problem}`);
    });
  }
  return { keys, problems };
}

/**
 * Reads `KEY` or `KEY=VARIANT`. An `=` at the end belongs to the key, as in base64, and so does
 * every `=` before the last one.
 */
function readKeyEntry(entry: string): KeyEntry {
  const match = /^(.+)=([A-Za-z0-9_-]+)$/.exec(entry);
  return match?.[1] === undefined ? { key: entry } : { key: match[1], variant: match[2] };
}

/** @param samePlace the place of an earlier entry with the same key */
function keyProblem(key: string, samePlace: string | undefined): string | undefined {
  if (key === '')
    return 'the key is empty. Remove the entry, or set the variable that it comes from.';
  if (/[^!-~]/.test(key))
    return 'the key contains white space or non-ASCII characters. Use a key without them.';
  return samePlace && `it is the same key as ${samePlace}. List each key once.`;
}
