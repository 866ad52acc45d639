import createRouter, { type HTTPMethod, type HTTPVersion, type Instance } from 'find-my-way';
import {
  type FixtureTree,
  methodsOf,
  type Operation,
  routePattern,
  routerOptions,
} from './operation.ts';

/** The operations that a test handles with functions, for an account or for all. */
export class HandledOperations {
  readonly #byIdentity = new Map<string, Operation>();
  readonly #router: Instance<HTTPVersion.V1>;

  constructor(tree: FixtureTree) {
    this.#router = createRouter(routerOptions(tree));
  }

  get all(): readonly Operation[] {
    return [...this.#byIdentity.values()];
  }

  at(method: string, path: string): Operation | undefined {
    return this.#byIdentity.get(this.#router.find(method as HTTPMethod, path)?.store);
  }

  set(operation: Operation): void {
    const { identity, segments } = operation;
    if (!this.#byIdentity.has(identity)) {
      const methods = methodsOf(operation) as HTTPMethod[];
      this.#router.on(methods, routePattern(segments), () => {}, identity);
    }
    this.#byIdentity.set(identity, operation);
  }
}
