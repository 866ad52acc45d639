/** The middle of some numbers, or what lies halfway between the two in the middle. */
export function median(numbers) {
  return quantile(numbers, 0.5);
}

/** The number below which a part of some numbers lies, between its two neighbours by distance. */
export function quantile(numbers, part) {
  if (numbers.length === 0) throw new Error('there is no number to take it of');
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = part * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place % 1);
}

/** The median, over the rounds that both have, of one side over the other in the same round. */
function ratio(samples, base, pick) {
  const pairs = samples.map((sample, round) => [pick(sample), pick(base[round])]);
  const whole = pairs.filter(([one, other]) => one !== undefined && other > 0);
  return whole.length === 0 ? undefined : median(whole.map(([one, other]) => one / other));
}

/**
 * One figure from the samples of all sides: the median of each side, and its ratio to the base.
 *
 * @param samples for each side its samples in the order of the rounds, each
 *   `{ KEY: { value, cpu? } }`
 */
export function figureOf({ samples, key, base, ...facts }) {
  /** @type {Record<string, object>} */
  const entries = {};
  for (const [side, all] of Object.entries(samples)) {
    const own = all.map((sample) => sample?.[key]);
    const there = own.filter((one) => one !== undefined);
    if (there.length === 0) continue;
    const others = (samples[base] ?? []).map((sample) => sample?.[key]);
    const cpus = there.map(({ cpu }) => cpu).filter((cpu) => cpu !== undefined);
    entries[side] = {
      value: median(there.map(({ value }) => value)),
      ratio: ratio(own, others, (one) => one?.value),
      cpu: cpus.length === 0 ? undefined : median(cpus),
      cpuRatio: ratio(own, others, (one) => one?.cpu),
      rounds: there.length,
    };
  }
  return { ...facts, base, entries };
}
