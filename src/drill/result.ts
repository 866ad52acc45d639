import type { LedgerEntry } from '../mock/operations/drill-file.ts';

/** How an application came through a failure. */
export interface DrillResult {
  /** The name of the failure. */
  readonly name: string;
  /** `error`: the drill did not happen. */
  readonly verdict: 'survived' | 'failed' | 'not-applicable' | 'error';
  /** About money, with the evidence; of a failure that is not applicable, the reason. */
  readonly sentence: string;
  /** What to do about it. */
  readonly advice?: string;
  /** The order's payments, as the provider sees them. */
  readonly charges: readonly LedgerEntry[];
  /** What the application believed in the end; `null` if it was not asked. */
  readonly outcome: string | null;
  /** How long it took, in ms. */
  readonly duration: number;
}
