import { expect } from 'vitest';

/**
 * What a drill says of an application that fails.
 *
 * @param isElsewhere whether it may fail in others, too, and because of what happened there
 */
export function failing(fails: Readonly<Record<string, RegExp>>, isElsewhere = false): unknown {
  const said = (text: RegExp) => (isElsewhere ? expect.any(String) : expect.stringMatching(text));
  const all = Object.fromEntries(Object.entries(fails).map(([name, text]) => [name, said(text)]));
  return isElsewhere ? expect.objectContaining(all) : all;
}
