import type { ScopeId } from '../store/store.ts';
import type { ScopeContext } from './context.ts';
import { Scope } from './scope.ts';

/** The service, and the accounts that this process has used. */
export class Scopes {
  readonly service: Scope;
  readonly #context: ScopeContext;
  readonly #accounts = new Map<string, Scope>();

  constructor(context: ScopeContext) {
    this.#context = context;
    this.service = new Scope(context);
  }

  of(id: ScopeId): Scope {
    if (id === undefined) return this.service;
    let scope = this.#accounts.get(id);
    if (scope === undefined) {
      scope = new Scope(this.#context, id, this.service.clock);
      this.#accounts.set(id, scope);
    }
    return scope;
  }

  /** Drops an account's timers; for the service, its timers and all accounts. */
  reset(id: ScopeId): void {
    if (id !== undefined) this.#accounts.get(id)?.clock.reset();
    else {
      this.service.clock.reset();
      for (const account of this.#accounts.keys()) this.remove(account);
    }
  }

  remove(id: string): void {
    this.#accounts.get(id)?.close();
    this.#accounts.delete(id);
  }

  /** Drops all timers, and refuses new ones. Requests that still run may write state. */
  close(): void {
    for (const { clock } of [this.service, ...this.#accounts.values()]) clock.close();
  }
}
