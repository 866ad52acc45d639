import type { PaymentEnd } from '../mock/ledger/momo-drill.ts';
import type { Facts } from './facts.ts';
import type { Right, Wrong } from './judge.ts';
import type { FailureTraits, Stage } from './stage.ts';

/** A failure: what happens to its orders, one after the other. */
export interface Failure extends FailureTraits {
  /** What happens, in a few words. */
  readonly about: string;
  /** What it needs besides an application and a provider. */
  readonly needs?: readonly Need[];
  /** A function if each drill needs its own. */
  readonly plays: readonly Play[] | (() => readonly Play[]);
}

/** What happens to one order. */
export interface Play {
  /** @default the failure's */
  readonly right?: Right;
  /** What went before a wrong state of the order, in words: `after a forged webhook`. */
  readonly circumstance?: string;
  /** How the payment ends. @default 'success' */
  readonly end?: PaymentEnd;
  /** When `pay` is called, in ms from the beginning. @default once */
  readonly clicks?: readonly number[];
  /** What this order needs besides the failure. Without it, the others are played. */
  readonly needs?: readonly Need[];
  /** Scripts what goes wrong, once the application is ready. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  /**
   * What happens while the provider's clock stands still, from the call of `pay` on. Then the clock moves
   * until the application and the ledger agree.
   */
  readonly happen?: (stage: Stage) => Promise<Happened | undefined>;
  /** Whether it is over after {@link happen}, and the provider's clock never moves. */
  readonly isEndless?: boolean;
  /** Why the drill could not bring it about, if it could not. */
  readonly missed?: (
    facts: Facts,
    stage: Stage,
  ) => Promise<string | undefined> | string | undefined;
}

/** What came out of it before the clock moves. */
export interface Happened {
  /** What is wrong, if it shows here. */
  readonly wrong?: Wrong;
  /** An occasion that the application did not give, so that the failure could not touch it: a sentence. */
  readonly remark?: string;
  /** Whether the other orders would show nothing else. */
  readonly skipsRest?: boolean;
  /** What went before a wrong state, if it is not the play's circumstance. */
  readonly circumstance?: string;
  /** The failure whose advice helps, if it is not this one. */
  readonly adviceOf?: string;
}

export type Need =
  | 'webhook'
  | 'pending-webhook'
  | 'other-order'
  | 'pay-less'
  | 'status'
  | 'unknown'
  | 'tokens'
  | 'fulfilled';
