import { monotonicTime, setTimeout } from '../timers.ts';
import type { DrillOrder, DrillOutcome, OpenApplication } from './application.ts';

/** For how long something has been so, without a break. */
class Spell {
  #since: number | undefined;

  note(isSo: boolean): void {
    if (!isSo) this.#since = undefined;
    else this.#since ??= monotonicTime();
  }

  get isOn(): boolean {
    return this.#since !== undefined;
  }

  /** In ms. */
  get lasted(): number {
    return this.#since === undefined ? 0 : monotonicTime() - this.#since;
  }
}

/** An order as the application has it. */
export class PlayedOrder {
  readonly order: DrillOrder;
  /** The start of the application does not count. */
  readonly began = monotonicTime();
  readonly #application: OpenApplication;
  #running = 0;
  /** The last outcome. */
  outcome: DrillOutcome = { state: 'pending' };
  /** The application does not know the order. */
  readonly unknown = new Spell();
  /** The outcome can't be read. */
  readonly unreadable = new Spell();
  /** The application contradicts the ledger. */
  readonly contradicted = new Spell();
  /** When the ledger first had an entry of it, in ms since 1970. */
  chargedAt = Infinity;
  /** Why the last call of `pay` failed. */
  payError: unknown;
  /** Why the last outcome could not be read. */
  outcomeError: unknown;
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

  /** Asks the application. What it said last stays if it can't be read now: it may come later. */
  async ask(): Promise<void> {
    try {
      const given: unknown = await this.#application.outcome(this.order);
      this.cannotRead(undefined);
      if (given === undefined || given === null) this.unknown.note(true);
      else this.#read(given);
    } catch (error) {
      this.cannotRead(error ?? 'nothing');
    }
  }

  /** @param error why not; `undefined` if it could be read */
  cannotRead(error: unknown): void {
    this.outcomeError = error;
    this.unreadable.note(error !== undefined);
  }

  #read(given: unknown): void {
    const { note, ...outcome } = Object(typeof given === 'string' ? { state: given } : given);
    const problem = outcomeProblem(outcome);
    if (problem !== undefined) throw new Error(problem);
    this.unknown.note(false);
    this.outcome = outcome;
    this.note = note;
  }
}

function outcomeProblem({ state, fulfilled }: DrillOutcome): string | undefined {
  if (!/^(paid|pending|failed)$/.test(`${state}`))
    return "it is not 'paid', 'pending' or 'failed', nor { state, fulfilled }.";
  const isCount = fulfilled === undefined || (Number.isInteger(fulfilled) && fulfilled >= 0);
  return isCount ? undefined : 'its fulfilled is not a whole number from 0.';
}
