import * as Type from 'typebox';
import { closedObject, define, integer, withRule } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { MAX_DELAY_MS } from '../limits.ts';

/**
 * The delay of the response, in ms: a fixed time, a random time from a range, or a random time from
 * a log-normal distribution, as in real networks. With the same `seed` (a whole number), the same
 * delays occur in the same order.
 */
export type ResponseDelay =
  | number
  | { readonly min: number; readonly max: number; readonly seed?: number }
  | { readonly median: number; readonly sigma: number; readonly seed?: number };

const ms = (description: string) => Type.Number({ description, minimum: 0, maximum: MAX_DELAY_MS });
const seed = integer('With the same seed, the same delays occur in the same order.', {
  maximum: 0xffff_ffff,
});

export const DELAY: Definition<ResponseDelay> = define(
  Type.Union(
    [
      ms('A fixed delay.'),
      withRule(
        closedObject(
          { min: ms('The shortest delay.'), max: ms('The longest delay.'), seed },
          { description: 'A random delay from a uniform distribution; min is at most max.' },
        ),
        ({ min, max }) => (min <= max ? undefined : ['min', 'must be at most max']),
      ),
      closedObject(
        {
          median: ms('The median delay.'),
          sigma: Type.Number({
            description: 'The standard deviation of the logarithm of the delay.',
            minimum: 0,
            maximum: 10,
          }),
          seed,
        },
        { description: 'A random delay from a log-normal distribution.' },
      ),
    ],
    {
      description:
        'How long to delay the response, in ms: a time, a uniform distribution from min to max, or a log-normal distribution with a median and a sigma. The same seed repeats the same delays.',
      default: 0,
    },
  ),
);

export function readDelay(delay: ResponseDelay, used = 0): () => number {
  if (typeof delay === 'number') return () => delay;
  // A normal number needs two random numbers.
  const skipped = 'min' in delay ? used : 2 * used;
  const random = delay.seed === undefined ? Math.random : seeded(delay.seed, skipped);
  if ('min' in delay) {
    const { min, max } = delay;
    return () => min + random() * (max - min);
  }
  const { median, sigma } = delay;
  return () => Math.min(MAX_DELAY_MS, median * Math.exp(sigma * normal(random)));
}

/** A random number from the standard normal distribution, by the Box-Muller transform. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const STEP = 0x6d2b79f5;

/** The generator mulberry32, with numbers in [0, 1). */
function seeded(seed: number, skipped: number): () => number {
  let state = (seed + Math.imul(skipped, STEP)) | 0;
  return () => {
    state = (state + STEP) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
