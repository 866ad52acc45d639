import { fieldsOf, invalid, numberIn } from './invalid.ts';

/**
 * How long an answer waits, in ms: always the same, drawn evenly from a range, or drawn from a
 * log-normal distribution, as the delays of real networks are. With a `seed` (a whole number) the
 * same delays come in the same order again.
 */
export type Delay =
  | number
  | { readonly min: number; readonly max: number; readonly seed?: number }
  | { readonly median: number; readonly sigma: number; readonly seed?: number };

/** The longest delay, in ms: an hour. A longer one that was drawn is cut to this. */
export const LONGEST_DELAY = 3_600_000;

/**
 * Checks a delay.
 *
 * @returns a function that gives the delay of one answer after the other, in ms
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function readDelay(delay: unknown): () => number {
  if (typeof delay === 'number') {
    const fixed = numberIn(delay, 'delay', 0, LONGEST_DELAY);
    return () => fixed;
  }
  if (typeof delay !== 'object' || delay === null) {
    throw invalid('delay', 'ms, {"min","max"} or {"median","sigma"}');
  }
  const isEven = 'min' in delay || 'max' in delay;
  const known = isEven ? ['min', 'max', 'seed'] : ['median', 'sigma', 'seed'];
  const fields = fieldsOf(delay, 'delay', known);
  const random = fields.seed === undefined ? Math.random : seeded(readSeed(fields.seed));
  if (isEven) {
    const min = numberIn(fields.min, 'delay.min', 0, LONGEST_DELAY);
    const max = numberIn(fields.max, 'delay.max', min, LONGEST_DELAY);
    return () => min + random() * (max - min);
  }
  const median = numberIn(fields.median, 'delay.median', 0, LONGEST_DELAY);
  const sigma = numberIn(fields.sigma, 'delay.sigma', 0, 10);
  return () => Math.min(LONGEST_DELAY, median * Math.exp(sigma * normal(random)));
}

function readSeed(seed: unknown): number {
  return numberIn(seed, 'delay.seed', 0, 0xffff_ffff, { whole: true });
}

/** A number of the standard normal distribution, by Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The generator mulberry32: the same numbers in [0, 1) for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
