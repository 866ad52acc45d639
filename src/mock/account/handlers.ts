import createRouter, { type HTTPMethod, type HTTPVersion, type Instance } from 'find-my-way';
import { methodsOf, type Operation, routePattern, routerOptions } from '../operations/operation.ts';
import type { AccountContext } from './account-context.ts';
import type { Remembered } from './remembered.ts';

/** The operations that tests handle with functions. No snapshot has them. */
export class Handlers implements Remembered {
  readonly #context: AccountContext;
  readonly #byIdentity = new Map<string, Operation>();
  /** Created for the first handler, because most accounts have none. */
  #router: Instance<HTTPVersion.V1> | undefined;

  constructor(context: AccountContext) {
    this.#context = context;
  }

  get operations(): readonly Operation[] {
    return [...this.#byIdentity.values()];
  }

  find(method: string, path: string): Operation | undefined {
    return this.#byIdentity.get(this.#router?.find(method as HTTPMethod, path)?.store);
  }

  set(operation: Operation): void {
    const { identity, segments } = operation;
    this.#router ??= createRouter(routerOptions(this.#context.tree));
    if (!this.#byIdentity.has(identity)) {
      const methods = methodsOf(operation) as HTTPMethod[];
      this.#router.on(methods, routePattern(segments), () => {}, identity);
    }
    this.#byIdentity.set(identity, operation);
    this.#context.withHandlers.add(this);
  }

  /** Adds those of the account that this one replaces. */
  keep(handlers: Handlers): void {
    for (const operation of handlers.operations) this.set(operation);
  }

  reset(): void {
    this.#router = undefined;
    this.#byIdentity.clear();
    this.#context.withHandlers.delete(this);
  }

  save(): undefined {}

  load(): void {}
}
