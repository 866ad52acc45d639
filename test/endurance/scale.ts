/** Whether the long form was asked for, by `npm run torture`; `npm test` runs the short one. */
export const isLong = process.env.TORTURE === 'long';

/** How often something is done, in the long form and in the short one. */
export function times(long: number, short: number): number {
  return isLong ? long : short;
}

/** Shows a figure of the long form, for docs/internals/reliability.md. */
export function show(figure: string): void {
  if (isLong) process.stdout.write(`${figure}\n`);
}
