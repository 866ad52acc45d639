import type { MomoHandler } from '../operations/handler.ts';
import { type Operation, parameterNames } from '../operations/operation.ts';

/** The handlers that tests have set. No snapshot has them, because they are functions. */
export class TestHandlers {
  readonly #byForm = new Map<string, MomoHandler>();

  get({ name }: Pick<Operation, 'name'>): MomoHandler | undefined {
    // Most mocks have none.
    return this.#byForm.size === 0 ? undefined : this.#byForm.get(formOf(name));
  }

  /** It gets path parameters by the names in `operation`, whatever a file or another test calls them. */
  set({ name, segments }: Operation, handler: MomoHandler): void {
    const names = parameterNames(segments);
    this.#byForm.set(formOf(name), (request, context) => {
      const values = Object.values(request.params);
      const params = Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
      return handler({ ...request, params }, context);
    });
  }

  /** Adds those of the account that this one replaces. */
  keep(handlers: TestHandlers): void {
    for (const [form, handler] of handlers.#byForm) this.#byForm.set(form, handler);
  }

  reset(): void {
    this.#byForm.clear();
  }
}

/** Equal for operations with the same method and path. Parameter names do not matter. */
export function formOf(name: string): string {
  return name.replaceAll(/\/:[^/]+/g, '/:');
}
