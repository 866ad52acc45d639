/** Whether the long form was asked for, by `npm run torture`; `npm test` runs the short one. */
export const isLong = process.env.TORTURE === 'long';

/** How often something is done, in the long form and in the short one. */
export function times(long: number, short: number): number {
  return isLong ? long : short;
}

/**
 * The seed of random inputs. It is the same in each short run, so that no change fails for an older
 * defect; the long form takes another each time, unless TORTURE_SEED is set.
 */
export const SEED = Number(
  process.env.TORTURE_SEED ?? (isLong ? Date.now() % 2 ** 30 : 20_261_121),
);

/** How many random inputs fast-check tries, in the long form and in the short one. */
export function runs(long: number, short: number): { numRuns: number; seed: number } {
  return { numRuns: times(long, short), seed: SEED };
}

/** Shows a figure of the long form, for test/reliability.md. */
export function show(figure: string): void {
  if (isLong) process.stdout.write(`${figure}\n`);
}
