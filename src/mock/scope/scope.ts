import { Clock, type ClockState } from '../clock/clock.ts';
import type { ClockChange } from '../clock/clock-change.ts';
import { givenBalance } from '../given-body.ts';
import type { FeedOptions, JournalBatch } from '../journal/feed.ts';
import { checkVariant } from '../operation.ts';
import type { RateLimit } from '../rate-limit.ts';
import { StoreSource } from '../state/state-source.ts';
import { StateView } from '../state/state-view.ts';
import type { Overrides, ScopeId } from '../store/store.ts';
import { ScopeCallbacks } from './callbacks.ts';
import type { ScopeContext } from './context.ts';
import { ScopeRequests } from './requests.ts';
import { ScopeResponses } from './responses.ts';

/**
 * What tests and people configure and query of an account, or of the whole service. The store holds
 * its data. This process holds its clock and the way to its state.
 *
 * Callers check a test's input first. All other checks run before anything changes.
 */
export class Scope {
  readonly id: ScopeId;
  /** The state as handlers see it, with its secrets. */
  readonly state: StateView;
  /** The clock of handlers. Its timers run in this process. */
  readonly clock: Clock;
  readonly responses: ScopeResponses;
  readonly requests: ScopeRequests;
  readonly callbacks: ScopeCallbacks;
  readonly #context: ScopeContext;
  readonly #stateSource: StoreSource;

  /** @param service the service's clock, for an account */
  constructor(context: ScopeContext, id?: string, service?: Clock) {
    const { store, timerOptions } = context;
    this.id = id;
    this.#context = context;
    this.#stateSource = new StoreSource(store, id, () => context.tree.state);
    this.state = new StateView(this.#stateSource);
    this.clock = new Clock(store, id, timerOptions, service);
    this.responses = new ScopeResponses(context, id);
    this.requests = new ScopeRequests(context, id);
    this.callbacks = new ScopeCallbacks(context, id);
  }

  async overrides(): Promise<Overrides> {
    return await this.#context.store.get(this.id);
  }

  /** The balance that was set, if any. Configured keys in it are redacted. */
  async balance(): Promise<Buffer | undefined> {
    const json = (await this.overrides()).balance?.body;
    return json && Buffer.from(this.#context.redactor.redactJson(json.toString()));
  }

  /**
   * Sets the balance to a JSON body. `undefined` removes it.
   *
   * @throws MomoMockError `MOMO_MOCK_BODY_REJECTED`
   */
  async setBalance(json: Buffer | undefined): Promise<void> {
    const balance = json === undefined ? null : givenBalance(this.#context, json);
    await this.#context.store.change(this.id, { balance });
  }

  /**
   * Sets the variant. `undefined` removes it, so that each account's initial variant applies again.
   *
   * @throws MomoMockError `MOMO_MOCK_VARIANT_UNKNOWN`
   */
  async setVariant(variant: string | undefined): Promise<void> {
    if (variant !== undefined) checkVariant(this.#context.operations, variant);
    await this.#context.store.change(this.id, { variant: variant ?? null });
  }

  /** Sets the rate limit, which starts counting now. `undefined` removes it. */
  async setRateLimit(limit: RateLimit | undefined): Promise<void> {
    await this.#context.store.change(this.id, { rateLimit: limit ?? null });
  }

  /** The state as tests see it, with redacted keys. */
  get redactedState(): StateView {
    return new StateView(this.#stateSource, this.#context.redactor);
  }

  /** @returns with a store also `lost`, the number of timers of exited processes */
  async clockState(): Promise<ClockState & { readonly lost?: number }> {
    const lost = await this.#context.store.lost();
    return { ...this.clock.state, ...(lost !== undefined && { lost }) };
  }

  /**
   * Freezes and moves the clock; for the service, also the clocks of all accounts. Resolves after
   * all due timers and callbacks have run.
   *
   * @returns how many processes did not report that they ran theirs
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if the clock would pass the end of the year
   *   9999, `MOMO_MOCK_TIMER_FAILED`
   */
  async changeClock({ freeze, advance }: ClockChange): Promise<number> {
    const { store } = this.#context;
    if (advance !== undefined) this.clock.checkAdvance(advance);
    if (freeze !== undefined) {
      await store.freeze(this.id, freeze, this.clock.systemTime());
    }
    return advance === undefined ? 0 : await store.advance(this.id, advance);
  }

  /** Requests and attempts that begin or end from now on, and all other changes. */
  async follow(options: FeedOptions, signal: AbortSignal): Promise<AsyncIterable<JournalBatch>> {
    const { store, feed } = this.#context;
    await store.synced();
    return feed.read({ ...options, account: this.id }, signal);
  }

  /** Restores the initial state; for the service, also that of all accounts. */
  async reset(): Promise<void> {
    await this.#context.store.reset(this.id);
  }

  /** Drops the timers. Handlers that still run can neither set timers nor write state. */
  close(): void {
    this.clock.close();
    this.#stateSource.close();
  }
}
