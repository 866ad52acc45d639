/** Where momo-mock must stand: a bound of its value, or of its ratio to what it is compared with. */
export const TARGETS = [
  { id: 'first-answer', ratio: { most: 1.5 } },
  { id: 'very-first-answer', ratio: { most: 2.1 } },
  { id: 'kept-alive', ratio: { least: 0.85 } },
  { id: 'connections', ratio: { least: 0.97 } },
  { id: 'memory-start', ratio: { most: 1.4 } },
  { id: 'memory-growth', value: { most: 1.1 } },
  { id: 'in-process', cpu: { most: 10 }, ratio: { most: 3 } },
  { id: 'installed-size', value: { most: 5 } },
  { id: 'installed-packages', value: { most: 3 } },
  { id: /^growth-(?!.*-100 accounts)/, ratio: { within: 1.1 } },
];

/** What the bounds are of, in the words of the table. */
const WORDS = {
  ratio: (number) => `${number} x`,
  value: (number, unit) => (unit === 'x' ? `${number} x` : `${number} ${unit}`),
  cpu: (number) => `${number} ms of CPU`,
};

/** The target of a figure; `undefined` where it has none. */
function targetOf(figure) {
  return TARGETS.find(({ id }) => (id instanceof RegExp ? id.test(figure.id) : id === figure.id));
}

/** A bound as a least or a most: `within` is a factor to the worse side. */
function sided({ within, ...bound }, better) {
  if (within === undefined) return bound;
  return better === 'more' ? { least: 1 / within } : { most: within };
}

/**
 * Compares a figure with its target.
 *
 * @param side whose value is compared
 * @returns `{ target, met }`, `target` in words; `undefined` where the figure has no target
 */
export function verdictOf(figure, side) {
  const target = targetOf(figure);
  const entry = figure.entries[side];
  if (target === undefined || entry === undefined) return undefined;
  const { id: _id, ...bounds } = target;
  const parts = Object.entries(bounds).map(([of, given]) => {
    const { least, most } = sided(given, figure.better);
    const is = entry[of];
    const words = WORDS[of];
    const said =
      least === undefined
        ? `at most ${words(most, figure.unit)}`
        : `at least ${words(Number(least.toFixed(2)), figure.unit)}`;
    return {
      said,
      met: is !== undefined && is >= (least ?? -Infinity) && is <= (most ?? Infinity),
    };
  });
  return {
    target: parts.map(({ said }) => said).join(', and '),
    met: parts.every(({ met }) => met),
  };
}
