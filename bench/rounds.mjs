import { performance } from 'node:perf_hooks';

/**
 * Measures all sides round by round, each round beginning with another side, so that what else the
 * machine does falls on all alike. A peer that fails is left out from then on; what is our own
 * must not fail.
 *
 * @param measure gives the sample of a side: `{ KEY: { value, cpu? } }`
 * @returns the samples of each side, `undefined` for a round that it was not in, and why a side
 *   was left out
 */
export async function inRounds({ rounds, sides, measure, note }) {
  const samples = Object.fromEntries(sides.map(({ name }) => [name, []]));
  const notRun = {};
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < sides.length; turn++) {
      const side = sides[(turn + round) % sides.length];
      if (side.name in notRun) continue;
      const began = performance.now();
      try {
        samples[side.name][round] = await measure(side, round);
      } catch (error) {
        if (side.own) throw new Error(`Failed to measure ${side.name}: ${error.message}`);
        notRun[side.name] = error.message;
      }
      const took = ((performance.now() - began) / 1000).toFixed(1);
      const told = notRun[side.name] ?? `${took} s`;
      note(`round ${round + 1} of ${rounds}, ${side.name}: ${told}`);
    }
  }
  return { samples, notRun };
}
