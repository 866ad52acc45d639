// Rounds of samples, and the figures made of them.

/** The median of the numbers that are known; `undefined` if none is. */
export function median(numbers) {
  const sorted = numbers.filter(Number.isFinite).sort((one, other) => one - other);
  if (sorted.length === 0) return undefined;
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

/**
 * Measures all sides in turn, round by round. Each round begins with another side, so that what
 * else the machine does slows all alike. A peer that fails is left out from then on.
 *
 * @param part.measure gives the sample of a side: `{ KEY: { value, cpu? } }`
 * @returns the samples by side and round, and by peer why it was left out
 * @throws Error if a side fails that is no peer
 */
export async function inRounds({ sides, rounds, measure }, note) {
  const samples = Object.fromEntries(sides.map(({ name }) => [name, []]));
  const notRun = {};
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < sides.length; turn++) {
      const side = sides[(turn + round) % sides.length];
      if (side.name in notRun) continue;
      note(`round ${round + 1} of ${rounds}, ${side.name}`);
      try {
        samples[side.name][round] = await measure(side, round);
      } catch (error) {
        if (!side.isPeer) throw new Error(`Failed to measure ${side.name}: ${error.message}`);
        notRun[side.name] = error.message;
      }
    }
  }
  return { samples, notRun };
}

/**
 * Makes a figure: for each side the median of its samples, and the median of their ratios to those
 * of the base in the same round.
 *
 * @param figure.key which of the samples' values
 * @param figure.sides the sides that the figure is of; all by default
 */
export function figureOf(samples, { key, sides = Object.keys(samples), ...figure }) {
  const valuesOf = (side, of) => samples[side].map((sample) => sample?.[key]?.[of]);
  const ratio = (side, of) => {
    const base = valuesOf(figure.base, of);
    return median(valuesOf(side, of).map((value, round) => value / base[round]));
  };
  const entryOf = (side) => ({
    value: median(valuesOf(side, 'value')),
    ratio: ratio(side, 'value'),
    cpu: median(valuesOf(side, 'cpu')),
    cpuRatio: ratio(side, 'cpu'),
  });
  const entries = sides.map((side) => [side, entryOf(side)]);
  const known = entries.filter(([, { value }]) => value !== undefined);
  return { ...figure, entries: Object.fromEntries(known) };
}
