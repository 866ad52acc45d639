/** The drill cannot go on, because the rest would mean nothing. The command exits with 2. */
export class DrillStopped extends Error {
  static override readonly name = 'DrillStopped';
  readonly exitCode = 2;
}
