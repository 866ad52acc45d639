import type { LedgerEntry } from '../mock/ledger/momo-drill.ts';
import type { DrillOutcome } from './application.ts';

/** What can be wrong with the money, or with the application. */
export type DrillWrong =
  | 'charged-twice'
  | 'wrong-amount'
  | 'wrong-currency'
  | 'wrong-party'
  | 'wrong-order'
  | 'given-back'
  | 'paid-uncharged'
  | 'underpaid'
  | 'failed-charged'
  | 'pending-charged'
  | 'pending-failed'
  | 'unfulfilled'
  | 'fulfilled-twice'
  | 'fulfilled-unpaid'
  | 'forgotten'
  | 'hangs'
  | 'crashed'
  | 'too-many-requests'
  | 'too-early'
  | 'untrusted'
  | 'not-started';

/** How an application came through a failure. */
export interface DrillResult {
  /** The name of the failure. */
  readonly name: string;
  readonly flow: 'payment';
  /** `inconclusive`: the drill could not bring the failure about. */
  readonly verdict: 'survived' | 'failed' | 'not-applicable' | 'inconclusive';
  /** The name of what is wrong, if the verdict is `failed`. */
  readonly kind?: DrillWrong;
  /** About money, with the evidence; of a failure that is not applicable, the reason. */
  readonly sentence: string;
  /** What to do about it. */
  readonly advice?: string;
  /** What the provider knows of the failure's orders: of the wrong one, if one is wrong. */
  readonly entries: readonly LedgerEntry[];
  /** What the application believed in the end of the last order; `null` if it was not asked. */
  readonly outcome: DrillOutcome | null;
  /** How long it took, in ms, with all attempts. It may have run beside other failures. */
  readonly duration: number;
}

export interface DrillReport {
  readonly flows: readonly DrillResult['flow'][];
  readonly survived: number;
  readonly failed: number;
  readonly notApplicable: number;
  /** How many failures could not be brought about, which is not survived. */
  readonly inconclusive: number;
  /** In the order of all failures. Only `success`, if that was not survived. */
  readonly failures: readonly DrillResult[];
}
