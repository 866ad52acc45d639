import type { Answer } from './answer.ts';
import { Clock } from './clock/clock.ts';
import type { TimerListeners } from './clock/timer-runner.ts';
import type { Script } from './scripted-response.ts';
import { type Layer, StartLayer } from './state/state-layer.ts';
import { StateStore } from './state/state-store.ts';

/** What the state and the clocks of all scopes share. */
export interface ScopeParts {
  /** The values of `state.json`, on which those of the service and of the accounts lie. */
  readonly startState: Layer;
  readonly onStateChange: () => void;
  readonly timers: TimerListeners;
}

/** The parts of a scope without a mock. */
export const ALONE: ScopeParts = {
  startState: new StartLayer(() => undefined),
  onStateChange: () => {},
  timers: { onChange: () => {}, onError: () => undefined },
};

/** The configuration of the whole service, or of one account, which decides the responses. */
export class Scope {
  /** The balance that a test set, which overrides the fixture. */
  balance: Answer | undefined;
  /** The variant that a test set, which overrides that of the accounts. */
  variant: string | undefined;
  /** The balance that a reset restores. */
  #initialBalance: Answer | undefined;
  #scripts: Script[] = [];
  readonly #parts: ScopeParts;
  readonly #service: Scope | undefined;
  // Most accounts never need them.
  #state: StateStore | undefined;
  #clock: Clock | undefined;
  #isClosed = false;

  /** @param over the scope of the service, for that of an account; for that of the service, its parts */
  constructor(over: Scope | ScopeParts = ALONE) {
    this.#service = over instanceof Scope ? over : undefined;
    this.#parts = over instanceof Scope ? over.#parts : over;
  }

  /** The state of handlers. */
  get state(): StateStore {
    const { startState, onStateChange } = this.#parts;
    this.#state ??= new StateStore(this.#service?.state.layer ?? startState, onStateChange);
    return this.#state;
  }

  /** The clock of handlers. */
  get clock(): Clock {
    if (this.#clock === undefined) {
      this.#clock = new Clock(this.#parts.timers, this.#service?.clock);
      if (this.#isClosed) this.#clock.close();
    }
    return this.#clock;
  }

  /** The remaining scripted responses, in the order in which they are used. */
  get scripts(): readonly Script[] {
    return this.#scripts;
  }

  set scripts(scripts: readonly Script[]) {
    this.#scripts = [...scripts];
  }

  /** Uses the first scripted response for an operation once. */
  consume(operation: string, beforeKeyCheck: boolean): Script | undefined {
    const index = this.#scripts.findIndex(
      (script) => script.operation === operation && script.beforeKeyCheck === beforeKeyCheck,
    );
    const script = this.#scripts[index];
    if (script === undefined) return undefined;
    script.left--;
    if (script.left === 0) this.#scripts.splice(index, 1);
    return script;
  }

  /** Sets the balance at the start, which a reset restores. */
  startWith(balance: Answer): void {
    this.#initialBalance = balance;
    this.balance = balance;
  }

  /**
   * Restores the start state: no scripted responses and no set variant, the initial balance and
   * state, no timers and the normal time.
   */
  reset(): void {
    this.balance = this.#initialBalance;
    this.variant = undefined;
    this.#scripts = [];
    this.#state?.reset();
    this.#clock?.reset();
  }

  /** Drops all timers, and lets no more be set. */
  close(): void {
    this.#isClosed = true;
    this.#clock?.close();
  }
}
