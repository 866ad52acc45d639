import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** All that was measured until now, by part: `{ peers, parts: { NAME: { run, figures, notRun } } }`. */
export function readResults(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { peers: {}, parts: {} };
}

export function writeResults(file, results) {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

/**
 * Puts what one run has measured in place of what there was of the same parts; the others stay as
 * they are.
 *
 * @param order the names of all parts that there are, in the order of the page
 * @param peers the peers that were there, `{ NAME: { version, how? } }`
 */
export function mergeResults(before, { run, peers, parts }, order) {
  const all = { ...before.parts };
  for (const [name, part] of Object.entries(parts)) all[name] = { run, ...part };
  const kept = order.filter((name) => name in all).map((name) => [name, all[name]]);
  return { peers: { ...before.peers, ...peers }, parts: Object.fromEntries(kept) };
}
