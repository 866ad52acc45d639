import type { DrillReport } from './result.ts';

/** The drill cannot go on, because the rest would mean nothing. The command exits with 2. */
export class DrillStopped extends Error {
  static override readonly name = 'DrillStopped';
  /** The failure that stopped it, if one did: by now, others may run. */
  readonly failure: string | undefined;
  /** What was judged before. */
  report: DrillReport | undefined;

  constructor(message: string, failure?: string) {
    super(message);
    this.failure = failure;
  }
}

/** The application did not start. In any failure but `success`, the others still mean something. */
export class NotStarted extends DrillStopped {}
