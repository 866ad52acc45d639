// What is made of the samples of a part: medians, ratios, a table, and whether the targets are met.

/** The median of the numbers that are known; `undefined` if none is. */
export function median(numbers) {
  const sorted = numbers.filter(Number.isFinite).sort((one, other) => one - other);
  if (sorted.length === 0) return undefined;
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

/** The median of a side's ratios to the base in the same round, so that a slow round slows both. */
export function ratioOf(samples, side, key, base) {
  return median(samples[side].map((sample, round) => sample?.[key] / samples[base][round]?.[key]));
}

/** A number with three significant digits. */
export function shown(number) {
  if (number === undefined) return '';
  if (Math.abs(number) >= 100) return Math.round(number).toLocaleString('en');
  return `${Number(number.toPrecision(3))}`;
}

/**
 * A table with a row for each side, as Markdown.
 *
 * @param samples of each side a list by round: `{ KEY: number }`
 * @param figures the heading of each key; `base` is the side that others are compared with
 */
export function tableOf(samples, { figures, base }) {
  // A share is compared with nothing, and so is what the base does not have.
  const isCompared = (key) =>
    !figures[key].includes('%') && samples[base].some((sample) => sample?.[key] !== undefined);
  const cells = (key, value, ratio) => (isCompared(key) ? [value, ratio] : [value]);
  const heads = Object.keys(figures).flatMap((key) => cells(key, figures[key], `of ${base}`));
  const rows = Object.keys(samples)
    .filter((side) => samples[side].length > 0)
    .map((side) => [
      side,
      ...Object.keys(figures).flatMap((key) => {
        const value = shown(median(samples[side].map((sample) => sample?.[key])));
        return cells(key, value, ratioOf(samples, side, key, base)?.toFixed(2) ?? '');
      }),
    ]);
  const lines = [['', ...heads], ['', ...heads].map(() => '---'), ...rows];
  return lines.map((row) => `| ${row.join(' | ')} |\n`).join('');
}

/** Whether a part reaches its targets, as a list. */
export function verdicts(samples, { figures, base, targets }) {
  return (targets ?? [])
    .map(({ side = 'momo-mock', key, atMost, atLeast }) => {
      const ratio = ratioOf(samples, side, key, base);
      const isMet = atMost === undefined ? ratio >= atLeast : ratio <= atMost;
      const target = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
      return `- ${side}: ${figures[key]}, ${target} of ${base}: ${isMet ? 'met' : '**not met**'}\n`;
    })
    .join('');
}
