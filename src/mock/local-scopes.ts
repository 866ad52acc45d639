import { Clock } from './clock/clock.ts';
import type { TimerOptions } from './clock/timer-queue.ts';
import { StoreSource } from './state/state-source.ts';
import { StateView } from './state/state-view.ts';
import type { Follower, ScopeId, Store } from './store/store.ts';

/** What of an account, or of the whole service, is of this process. */
export interface LocalScope {
  /** The state of its handlers. */
  readonly state: StateView;
  readonly stateSource: StoreSource;
  /** The clock of its handlers, whose timers run here. */
  readonly clock: Clock;
}

/** The parts that the scopes of a process share. */
export interface LocalParts {
  readonly store: Store;
  /** Returns the content of `state.json`. */
  readonly initialState: () => Readonly<Record<string, unknown>> | undefined;
  readonly timers: TimerOptions;
}

/** What of the accounts and of the service is of this process. Most accounts never need it. */
export class LocalScopes {
  readonly #parts: LocalParts;
  readonly #service: LocalScope;
  readonly #accounts = new Map<string, LocalScope>();
  #isClosed = false;

  constructor(parts: LocalParts) {
    this.#parts = parts;
    this.#service = this.#make(undefined);
  }

  /** That of an account, or of the whole service. */
  of(id: ScopeId): LocalScope {
    if (id === undefined) return this.#service;
    const known = this.#accounts.get(id);
    if (known !== undefined) return known;
    const made = this.#make(id, this.#service.clock);
    if (this.#isClosed) made.clock.close();
    this.#accounts.set(id, made);
    return made;
  }

  /** Drops all timers of an account, or of the service and of all accounts, which are made anew. */
  reset(id: ScopeId): void {
    if (id !== undefined) this.#accounts.get(id)?.clock.reset();
    else {
      this.#service.clock.reset();
      for (const account of this.#accounts.keys()) this.remove(account);
    }
  }

  /** Drops what an account has: handlers that still run set no timers and write no state. */
  remove(id: string): void {
    const scope = this.#accounts.get(id);
    scope?.clock.close();
    scope?.stateSource.close();
    this.#accounts.delete(id);
  }

  /**
   * What of this process follows the store: clocks and timers.
   *
   * @param drop drops the callbacks of an account, or all
   */
  follower(
    drop: (id: ScopeId) => void,
  ): Pick<Follower, 'reset' | 'removed' | 'moved' | 'advance' | 'advanced' | 'pending'> {
    return {
      reset: (id) => {
        drop(id);
        this.reset(id);
      },
      removed: (id) => {
        this.remove(id);
        drop(id);
      },
      moved: (id) => this.of(id).clock.moved(),
      advance: (id, by) => this.of(id).clock.advance(by),
      advanced: (id) => this.of(id).clock.settle(),
      pending: () => this.#service.clock.state.pending,
    };
  }

  /** Drops all timers, and lets no more be set. */
  close(): void {
    this.#isClosed = true;
    for (const { clock } of [this.#service, ...this.#accounts.values()]) clock.close();
  }

  #make(id: ScopeId, service?: Clock): LocalScope {
    const { store, initialState, timers } = this.#parts;
    const stateSource = new StoreSource(store, id, initialState);
    const clock = new Clock(store, id, timers, service);
    return { stateSource, state: new StateView(stateSource), clock };
  }
}
