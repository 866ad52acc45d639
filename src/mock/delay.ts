import * as Type from 'typebox';
import { define } from './check.ts';
import type { Definition } from './definition.ts';

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

const ms = (description: string) =>
  Type.Number({ description, minimum: 0, maximum: LONGEST_DELAY });
const seed = Type.Optional(
  Type.Integer({
    description: 'The same delays in the same order again.',
    minimum: 0,
    maximum: 0xffff_ffff,
  }),
);

/** The definition of a delay. */
export const DELAY: Definition<Delay> = define(
  Type.Union(
    [
      ms('Always the same.'),
      Type.Refine(
        Type.Object(
          { min: ms('The shortest.'), max: ms('The longest.'), seed },
          {
            description: 'Drawn evenly from a range; min is at most max.',
            additionalProperties: false,
          },
        ),
        ({ min, max }) => min <= max,
        () => 'min: must be at most max',
      ),
      Type.Object(
        {
          median: ms('Half of the delays are longer.'),
          sigma: Type.Number({ description: 'How far they spread.', minimum: 0, maximum: 10 }),
          seed,
        },
        { description: 'Drawn from a log-normal distribution.', additionalProperties: false },
      ),
    ],
    { description: 'How long the answer waits, in ms.', default: 0 },
  ),
);

/** A function that gives the delay of one answer after the other, in ms. */
export function readDelay(delay: Delay): () => number {
  if (typeof delay === 'number') return () => delay;
  const random = delay.seed === undefined ? Math.random : seeded(delay.seed);
  if ('min' in delay) {
    const { min, max } = delay;
    return () => min + random() * (max - min);
  }
  const { median, sigma } = delay;
  return () => Math.min(LONGEST_DELAY, median * Math.exp(sigma * normal(random)));
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
