/** A failure of the drill. */
export interface DrillFailure {
  readonly name: string;
  /** What happens, in a few words. */
  readonly about: string;
  /** What is right. */
  readonly right: string;
}

/** All failures, in the order in which they are shown. */
export const FAILURES: readonly DrillFailure[] = [
  { name: 'success', about: 'nothing', right: 'charged once, paid' },
];
