import { monotonicTime, setTimeout } from '../timers.ts';
import type { DrillOrder, DrillOutcome, OpenApplication } from './application.ts';

/** An order as the application has it. */
export class PlayedOrder {
  readonly order: DrillOrder;
  /** The start of the application does not count. */
  readonly began = monotonicTime();
  readonly #application: OpenApplication;
  #running = 0;
  #outcome: DrillOutcome = { state: 'pending' };
  /** Since when the application has not known the order. */
  #unknownSince: number | undefined;
  /** When the ledger first had an entry of it, in ms since 1970. */
  chargedAt = Infinity;
  /** Why the last call of `pay` failed. */
  payError: unknown;
  #outcomeError: unknown;
  #unreadableSince: number | undefined;
  /** What there is to say of the last outcome. */
  note: string | undefined;

  constructor(order: DrillOrder, application: OpenApplication) {
    this.order = order;
    this.#application = application;
  }

  /** Calls `pay` once for each click, in ms from now. */
  pay(clicks: readonly number[]): void {
    this.#running += clicks.length;
    for (const ms of clicks) {
      if (ms === 0) void this.#click();
      else setTimeout(() => void this.#click(), ms);
    }
  }

  async #click(): Promise<void> {
    try {
      await this.#application.pay(this.order);
    } catch (error) {
      this.payError = error ?? 'nothing';
    } finally {
      this.#running--;
    }
  }

  /** Whether each call of `pay` has come back. */
  get isBack(): boolean {
    return this.#running === 0;
  }

  /** How long the application has not known the order, in ms. */
  get unknownFor(): number {
    return this.#unknownSince === undefined ? 0 : monotonicTime() - this.#unknownSince;
  }

  /** Why the last outcome could not be read. */
  get outcomeError(): unknown {
    return this.#outcomeError;
  }

  set outcomeError(error: unknown) {
    this.#outcomeError = error;
    if (error === undefined) this.#unreadableSince = undefined;
    else this.#unreadableSince ??= monotonicTime();
  }

  /** How long the outcome could not be read, in ms. */
  get unreadableFor(): number {
    return this.#unreadableSince === undefined ? 0 : monotonicTime() - this.#unreadableSince;
  }

  /** The last outcome. */
  get outcome(): DrillOutcome {
    return this.#outcome;
  }

  /** Asks the application. What it said last stays if it can't be read now: it may come later. */
  async ask(): Promise<void> {
    let given: unknown;
    try {
      given = await this.#application.outcome(this.order);
    } catch (error) {
      this.outcomeError = error ?? 'nothing';
      return;
    }
    this.outcomeError = undefined;
    if (given === undefined || given === null) {
      this.#unknownSince ??= monotonicTime();
      return;
    }
    const problem = outcomeProblem(given);
    if (problem !== undefined) {
      this.outcomeError = new Error(problem);
      return;
    }
    this.#unknownSince = undefined;
    const { note, ...outcome } =
      typeof given === 'string' ? { state: given } : (given as DrillOutcome & { note?: string });
    this.#outcome = outcome as DrillOutcome;
    this.note = note;
  }
}

function outcomeProblem(given: unknown): string | undefined {
  const { state, fulfilled } = Object(typeof given === 'string' ? { state: given } : given);
  if (!/^(paid|pending|failed)$/.test(`${state}`))
    return "it is not 'paid', 'pending' or 'failed', nor { state, fulfilled }.";
  const isCount = fulfilled === undefined || (Number.isInteger(fulfilled) && fulfilled >= 0);
  return isCount ? undefined : 'its fulfilled is not a whole number from 0.';
}
